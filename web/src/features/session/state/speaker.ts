/**
 * Who wrote an input. A pod takes inputs of its own user alone: whatever came
 * by one of Podium's clients is the person's, another program has its name.
 */
export function speaker(client: string): { who: string; by?: string } {
  if (client === "" || client === "user") return { who: "you" };
  return /^podium(-studio)?(\/|$)/.test(client) ? { who: "you", by: client } : { who: client };
}
