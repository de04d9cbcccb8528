/** The ground of everything that is unknown, for fill="url(#id)". */
export function Hatch({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={id} width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className="hatch-line" width="1.4" height="3" />
      </pattern>
    </defs>
  );
}
