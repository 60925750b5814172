import type { Entry } from "../base/storage.ts";
import type { KeyValue } from "./etcd-services.ts";

export function toEntry({ key, value, modRevision, createRevision }: KeyValue): Entry {
  return { key, value, modRevision, createRevision };
}
