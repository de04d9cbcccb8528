import { SessionBones } from "../features/session/components/SessionBones";
import { later } from "../lib/later/later";

/** What a list of sessions can do without at first. */
export const opened = later(() => import("./Opened").then((m) => (m.prepareWords(), m.Opened)), <SessionBones />);
