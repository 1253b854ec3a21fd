// The messages of resplint's own beside the protocol; docs/editor.md describes them.

import { NotificationType, RequestType } from "vscode-languageclient/node";

export interface Place {
  readonly path: string;
  readonly line: number;
}

export interface Setting {
  readonly option: string;
  readonly text: string;
  readonly origin: string;
  readonly place: Place | null;
}

export interface Site extends Place {
  readonly column: number;
  readonly command: string | null;
}

export interface RedisClient {
  readonly kind: string;
  readonly name: string;
  readonly place: Place | null;
  readonly symbol: string;
  readonly library: { readonly phrase: string };
  readonly made: { readonly kind: string; readonly why: string };
  readonly pool: readonly Setting[];
  readonly timeouts: readonly Setting[];
  readonly retry: readonly Setting[];
  readonly call_sites: number;
  readonly sites: readonly Site[];
}

export interface Inventory {
  readonly uri: string;
  readonly clients: readonly RedisClient[];
  readonly error?: string;
}

export interface Status {
  readonly uri: string;
  readonly state: "scanning" | "idle" | "failed";
  readonly findings?: { readonly error: number; readonly warning: number; readonly note: number };
  readonly files?: { readonly discovered: number; readonly analysed: number };
  readonly mistake?: string | null;
  readonly error?: string;
}

export const clientsRequest = new RequestType<object, { projects: Inventory[] }, void>("resplint/clients");
export const statusNotification = new NotificationType<Status>("resplint/status");
