/** A store without sessions: how to get the first one. */
export function NoSessions({ what }: { what: string }) {
  return (
    <div className="empty" role="status">
      <p>{what} Start one in a project folder:</p>
      <pre>podium run -p "What is in this repository?"</pre>
      <p>It appears here while it runs.</p>
    </div>
  );
}
