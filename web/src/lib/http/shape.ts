import { ApiError } from "../problem/problem";

/**
 * An answer that has a list where one belongs. Another program on Studio's
 * port may speak JSON too.
 */
export function withList<T extends object>(answer: T | null, name: keyof T & string): T {
  if (Array.isArray(answer?.[name])) return answer;
  throw new ApiError(200, `The answer is not Studio's: it has no ${name}. Is another program on its port?`);
}
