import { requestEntityTooLarge } from "#/machinery/meta/status-error.ts";

/** Limit of a body whose fields are not counted (bytes): it has room for few. */
export const countedBytes = 256 * 1024;

/**
 * Limit of fields in a body, and of objects in its lists (count): each step on them takes this thread about a
 * microsecond per field. An etcd would not store more, since each key of a map takes 22 bytes of its 1.5 MiB, with its
 * manager; an object with 8,000 managers has more fields, which upstream accepts.
 */
export const fieldLimit = {
  count: 65_536,
  exceeded: () => requestEntityTooLarge(`limit is ${fieldLimit.count} fields`),
};
