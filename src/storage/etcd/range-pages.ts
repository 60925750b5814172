import { isFailure } from "./etcd-failure.ts";
import type { Members } from "./etcd-members.ts";
import type { KeyValue, RangeResponse } from "./etcd-services.ts";
import type { KeyRange } from "./key-range.ts";

/** The result of one request. */
interface Page {
  readonly kvs: readonly KeyValue[];
  /** The revision of the whole read: the requested one, or that of the first page. */
  readonly revision: number;
  /** Number of keys of the range after this page. */
  readonly remaining: number;
}

export interface PagesOptions {
  readonly revision?: number | undefined;
  /** Limit of all keys; 0 means all. */
  readonly limit?: number | undefined;
  readonly keysOnly?: boolean | undefined;
}

/** Limit of a page (bytes): decoded in a few milliseconds, and moderate memory in etcd. */
const pageBytes = 1 << 20;
/** Size of the first page (keys): small, as the size of values is unknown. */
const firstPageKeys = 500;
const maxPageKeys = 10_000;

/** Reads a range of keys at one revision, in pages of limited size. */
export async function* readPages(
  members: Members,
  { key, rangeEnd }: KeyRange,
  { revision = 0, limit = 0, keysOnly = false }: PagesOptions,
): AsyncGenerator<Page> {
  let pageKeys = keysOnly ? maxPageKeys : firstPageKeys;
  let left = limit > 0 ? limit : Number.POSITIVE_INFINITY;
  const request = { key, rangeEnd, revision, limit: 0, keysOnly };
  for (;;) {
    request.limit = Math.min(pageKeys, left);
    const response = await readPage(members, request);
    if (response === "too large") {
      pageKeys = Math.ceil(request.limit / 8);
      continue;
    }
    const { kvs, count } = response;
    request.revision ||= response.header?.revision ?? 0;
    left -= kvs.length;
    yield { kvs, revision: request.revision, remaining: count - kvs.length };
    const last = kvs.at(-1);
    if (left === 0 || !response.more || !last) return;
    request.key = `${last.key}\0`;
    pageKeys = nextPageKeys(kvs);
  }
}

type RangeRequest = KeyRange & { limit: number; revision: number; keysOnly: boolean };

async function readPage(
  members: Members,
  request: RangeRequest,
): Promise<RangeResponse | "too large"> {
  try {
    return await members.readMuch(({ kv }, options) => kv.Range(request, options));
  } catch (error) {
    if (request.limit === 1 || !isFailure(error, "answer too large")) throw error;
    return "too large";
  }
}

function nextPageKeys(kvs: readonly KeyValue[]): number {
  let bytes = 0;
  for (const { key, value } of kvs) bytes += key.length + value.length;
  const keys = Math.floor((pageBytes * kvs.length) / Math.max(1, bytes));
  return Math.min(maxPageKeys, Math.max(1, keys));
}
