import type { Run } from "../../runs/api/types";

export interface Message {
  id: string;
  role: string;
  content: unknown;
  content_withheld: boolean;
  sender: string | null;
  timestamp: number;
  lion_class: string;
}

export interface Branch {
  id: string;
  name: string | null;
  created_at: number;
  messages: Message[];
  message_total: number;
  message_window_count: number;
  message_has_older: boolean;
  model: string | null;
  provider: string | null;
}

/** GET /api/runs/{id}: the row and a window of its messages. */
export interface RunDetail extends Run {
  branches: Branch[];
  message_limit: number;
  message_cursor: string | null;
  message_next_cursor: string | null;
}
