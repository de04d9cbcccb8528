/** What stands in a session's place until it is there. */
export function SessionBones() {
  return (
    <div className="session" aria-busy="true" role="status" aria-label="Loading the session">
      <div className="session-head">
        <span className="bone bone-title" />
        <span className="bone" />
      </div>
      <div className="conversation-pane">
        <span className="bone bone-block" />
        <span className="bone bone-block" />
      </div>
    </div>
  );
}
