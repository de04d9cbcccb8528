import { Component, type ReactNode } from "react";

/** Where a mistake of the page's own ends: said, instead of an empty window. */
export class Boundary extends Component<{ children: ReactNode }, { problem: string | null }> {
  override state = { problem: null };

  static getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    if (this.state.problem === null) return this.props.children;
    return (
      <main className="empty" role="alert">
        <h1>This page made a mistake</h1>
        <p>Nothing is lost: Studio and its store are not touched by what a page does.</p>
        <pre>{this.state.problem}</pre>
        <button type="button" onClick={() => window.location.reload()}>
          Load the page again
        </button>
      </main>
    );
  }
}
