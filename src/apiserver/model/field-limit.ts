import { requestEntityTooLarge } from "#/machinery/meta/status-error.ts";

/** Limit of a body whose fields are not counted (bytes): it has room for few. */
export const countedBytes = 256 * 1024;

/**
 * Limit of fields in a body, and of objects in its lists (count): the longest steps on them take this thread 0.7
 * microseconds per field. An etcd would not store more, since each key of a map takes 22 bytes of its 1.5 MiB, with its
 * manager.
 */
export const fieldLimit = {
  count: 98_304,
  exceeded: () => requestEntityTooLarge(`limit is ${fieldLimit.count} fields`),
};
