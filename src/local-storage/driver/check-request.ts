import type { VolumeCapability } from "#/machinery/csi/csi-messages.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { fileSystems } from "../pool/file-systems.ts";
import type { FsType } from "../pool/volume-record.ts";

/** Throws unless each of these fields has a value. */
export function required(fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== "") continue;
    throw new GrpcError("INVALID_ARGUMENT", `${name} is missing in the request`);
  }
}

/** What a volume must be for the capabilities that are requested. */
interface Wanted {
  readonly isBlock: boolean;
  /** Undefined if the driver chooses. */
  readonly fsType: FsType | undefined;
}

const oneNode: ReadonlySet<unknown> = new Set([
  "SINGLE_NODE_WRITER",
  "SINGLE_NODE_READER_ONLY",
  "SINGLE_NODE_SINGLE_WRITER",
  "SINGLE_NODE_MULTI_WRITER",
  // Its readers are on one node: the topology of the volume says so.
  "MULTI_NODE_READER_ONLY",
]);

/** The reason why no volume of this driver has these capabilities; undefined if one can have them. */
export function capabilityProblem(capabilities: readonly VolumeCapability[]): string | undefined {
  for (const { accessMode, mount } of capabilities) {
    const mode = accessMode?.mode;
    if (!oneNode.has(mode)) {
      return `access mode ${mode ?? "UNKNOWN"} is not supported: a volume is on one node`;
    }
    if (mount?.fsType && !Object.hasOwn(fileSystems, mount.fsType)) {
      const known = Object.keys(fileSystems).join(", ");
      return `file system ${mount.fsType} is not supported: it is one of ${known}`;
    }
  }
  const isBlock = capabilities.some(({ block }) => block);
  if (isBlock && capabilities.some(({ mount }) => mount)) {
    return "a volume is either a block device or a file system";
  }
  return undefined;
}

/** Throws if no volume can have these capabilities. */
export function wantedBy(capabilities: readonly VolumeCapability[]): Wanted {
  if (capabilities.length === 0) {
    throw new GrpcError("INVALID_ARGUMENT", "volume capabilities are missing in the request");
  }
  const problem = capabilityProblem(capabilities);
  if (problem) throw new GrpcError("INVALID_ARGUMENT", problem);
  const isBlock = capabilities.some(({ block }) => block);
  const fsType = capabilities.find(({ mount }) => mount?.fsType)?.mount?.fsType;
  return { isBlock, fsType: fsType as FsType | undefined };
}

interface Range {
  readonly requiredBytes: number;
  readonly limitBytes: number;
}

/** Sizes are multiples of this (bytes): loop devices and file systems have no smaller blocks. */
const stepBytes = 4096;
const defaultBytes = 1 << 30;

/** The size of a new volume (bytes). */
export function sizeFor(range: Range | undefined, { isBlock, fsType = "ext4" }: Wanted): number {
  const { requiredBytes = 0, limitBytes = 0 } = range ?? {};
  if (requiredBytes < 0 || limitBytes < 0 || (limitBytes > 0 && requiredBytes > limitBytes)) {
    throw new GrpcError("OUT_OF_RANGE", `${requiredBytes} to ${limitBytes} bytes is no range`);
  }
  const minBytes = isBlock ? stepBytes : fileSystems[fsType].minBytes;
  const wanted = requiredBytes || (limitBytes ? Math.min(limitBytes, defaultBytes) : defaultBytes);
  const bytes = Math.max(minBytes, Math.ceil(wanted / stepBytes) * stepBytes);
  if (limitBytes === 0 || bytes <= limitBytes) return bytes;
  throw new GrpcError("OUT_OF_RANGE", `a volume has at least ${bytes} bytes, not ${limitBytes}`);
}

/** One page of a list; the token is the number of its first item. */
export function page<T>(
  items: readonly T[],
  { maxEntries, startingToken }: { readonly maxEntries: number; readonly startingToken: string },
): { readonly items: readonly T[]; readonly nextToken: string } {
  if (maxEntries < 0) throw new GrpcError("INVALID_ARGUMENT", `max_entries is ${maxEntries}`);
  const from = startingToken === "" ? 0 : Number(startingToken);
  if (!Number.isSafeInteger(from) || from < 0 || from > items.length) {
    throw new GrpcError("ABORTED", `${startingToken} is no token of a list`);
  }
  const to = maxEntries === 0 ? items.length : Math.min(items.length, from + maxEntries);
  return { items: items.slice(from, to), nextToken: to < items.length ? String(to) : "" };
}
