/** Upstream: pkg/volume/volume_linux.go. */
import { Descriptor } from "./descriptor.ts";
import { walkTree } from "./walk-tree.ts";

export interface OwnershipRequest {
  readonly directory: string;
  readonly fsGroup: number;
  readonly readOnly: boolean;
  /** Changes nothing if the volume's root already has the right group and mode. */
  readonly onRootMismatch?: boolean;
}

const readWriteMask = 0o660;
const readMask = 0o440;
const directoryMask = 0o2110;
/** Number of files between two reports of progress. */
const reportEach = 256;

/**
 * Gives a group ownership of, and access to, a volume and all files in it. Returns the messages of files that could not
 * be changed. Children come first: a root with the right group then means that all of it is done.
 */
export function changeOwnership(request: OwnershipRequest, report: () => void): string[] {
  using root = Descriptor.open(request.directory);
  if (request.onRootMismatch && rootMatches(root, request)) return [];
  const failures: string[] = [];
  let count = 0;
  walkTree(root, ({ name, directory, file, stats }) => {
    count += 1;
    if (count % reportEach === 0) report();
    try {
      if (name !== undefined && stats.isSymbolicLink()) {
        directory.changeGroupOfLink(name, request.fsGroup);
        return;
      }
      file.changeGroup(request.fsGroup);
      const mask = maskOf(request) | (stats.isDirectory() ? directoryMask : 0);
      file.chmod((stats.mode & 0o7777) | mask);
    } catch (error) {
      if (failures.length < maxFailures) failures.push((error as Error).message);
    }
  });
  return failures;
}

/** Limit of reported messages: the first ones show the reason. */
const maxFailures = 10;

function rootMatches(root: Descriptor, request: OwnershipRequest): boolean {
  const { gid, mode } = root.stat();
  const required = maskOf(request) | directoryMask;
  return gid === request.fsGroup && (mode & required) === required;
}

function maskOf({ readOnly }: OwnershipRequest): number {
  return readOnly ? readMask : readWriteMask;
}
