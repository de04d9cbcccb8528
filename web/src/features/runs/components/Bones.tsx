/** Where rows will be. */
export function Bones({ rowHeight }: { rowHeight: number }) {
  return (
    <div className="bones" aria-busy="true" role="status" aria-label="Loading sessions">
      {Array.from({ length: 12 }, (_, i) => (
        <div key={i} className="bone-row" style={{ height: rowHeight }}>
          <span className="bone" style={{ width: `${70 - ((i * 23) % 40)}%` }} />
        </div>
      ))}
    </div>
  );
}
