/**
 * Days come as 2006-01-02 of the viewer's zone. They are dates, not times:
 * read and written in UTC they stay what they are in every zone.
 */
function dateOf(key: string): Date | null {
  const date = new Date(`${key}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}

function format(key: string, how: Intl.DateTimeFormatOptions): string {
  return dateOf(key)?.toLocaleDateString("en-GB", { ...how, timeZone: "UTC" }) ?? key;
}

/** A day for the plot's axis: 3 May. */
export function shortDay(key: string): string {
  return format(key, { day: "numeric", month: "short" });
}

/** A day in full: Sun 3 May 2026. */
export function longDay(key: string): string {
  return format(key, { weekday: "short", day: "numeric", month: "short", year: "numeric" }).replace(",", "");
}

/** When something was read: the time of day, with its date on another day. */
export function asOf(seconds: number, now: Date): string {
  const then = new Date(seconds * 1000);
  const time = then.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return then.toDateString() === now.toDateString() ? time : `${then.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`;
}
