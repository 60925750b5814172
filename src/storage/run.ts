import { FlagError, type FlagSet, type FlagValues, parseFlags } from "#/std/flags/flags.ts";
import { restoreInto } from "./base/restore-into.ts";
import { openSnapshot, snapshotBlocks } from "./base/snapshot.ts";
import { type SnapshotInfo, StorageError } from "./base/storage.ts";
import type { EtcdStorage } from "./etcd/etcd-storage.ts";

const usage = `Copies of the store of an API server. k8ts snapshot saves a whole cluster.

Usage:
  k8ts store save FILE     write all keys to a file; the API server may run
  k8ts store restore FILE  make a new store of them
  k8ts store status FILE   check a file and say what is in it

The store is one of:
  --data-dir DIRECTORY        the embedded store's directory
  --etcd-servers URL,...      etcd; for TLS, with --etcd-cafile, --etcd-certfile
                              and --etcd-keyfile
`;

const flags = {
  "data-dir": { type: "string", help: "Directory of the embedded store." },
  "etcd-servers": { type: "stringSlice", help: "List of etcd servers to connect with." },
  "etcd-cafile": { type: "string", help: "SSL Certificate Authority file." },
  "etcd-certfile": { type: "string", help: "SSL certification file." },
  "etcd-keyfile": { type: "string", help: "SSL key file." },
} satisfies FlagSet;

type Values = FlagValues<typeof flags>;

/** The output of a command. */
export interface CommandOutput {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** `k8ts store`; returns the exit code. */
export async function main(
  args: readonly string[],
  { stdout, stderr }: CommandOutput = process,
): Promise<number> {
  try {
    const parsed = parseFlags(flags, args);
    const [action, file, ...rest] = parsed.args;
    if (parsed.help) {
      stdout.write(usage);
      return 0;
    }
    const run = action === undefined ? undefined : actions[action];
    if (!run || file === undefined || rest.length > 0) {
      stderr.write(usage);
      return 1;
    }
    stdout.write(describe(await run(file, parsed.values)));
    return 0;
  } catch (error) {
    if (!(error instanceof StorageError || error instanceof FlagError || isSystemError(error))) {
      throw error;
    }
    stderr.write(`k8ts store: ${error.message}\n`);
    return 1;
  }
}

/** The embedded store in a directory, as blocks of a snapshot file; whether a server uses it or not. */
export async function openStoreBlocks(directory: string) {
  const { openState } = await import("./lmdb/backup.ts");
  const state = await openState(directory);
  return {
    revision: state.revision,
    blocks: snapshotBlocks(state),
    [Symbol.asyncDispose]: () => state[Symbol.asyncDispose](),
  };
}

/** Makes an embedded store of a snapshot file, in a directory that has none. */
export async function restoreStore(file: string, directory: string): Promise<SnapshotInfo> {
  const { restoreDirectory } = await import("./lmdb/restore.ts");
  return await restoreDirectory(file, directory);
}

/** How etcd is reached. */
export interface EtcdAccess {
  readonly servers: readonly string[];
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** Connects with etcd; to be disposed of. */
export async function openEtcdStore(access: EtcdAccess): Promise<EtcdStorage> {
  const { servers: endpoints, caFile, certFile, keyFile } = access;
  const { EtcdStorage } = await import("./etcd/etcd-storage.ts");
  const tls = {
    ...(caFile && { caFile }),
    ...(certFile && { certFile }),
    ...(keyFile && { keyFile }),
  };
  return EtcdStorage.open({ endpoints, tls, compactIntervalMs: 0 });
}

/** The keys of etcd at its newest revision, as blocks of a snapshot file; to be disposed of. */
export async function openEtcdBlocks(access: EtcdAccess) {
  const etcd = await openEtcdStore(access);
  try {
    const revision = await etcd.revision();
    return {
      revision,
      blocks: snapshotBlocks({ revision, entries: etcd.entriesAt(revision) }),
      [Symbol.asyncDispose]: () => etcd[Symbol.asyncDispose](),
    };
  } catch (error) {
    await etcd[Symbol.asyncDispose]();
    throw error;
  }
}

/** What moves a store to etcd and back: see migration/. */
export const loadMigration = async () => ({
  ...(await import("./migration/to-etcd.ts")),
  ...(await import("./migration/to-embedded.ts")),
  ...(await import("./migration/compare-stores.ts")),
});

// Each action loads only the store that it needs.
const actions: Readonly<Record<string, (file: string, values: Values) => Promise<SnapshotInfo>>> = {
  async save(file, values) {
    if (isEmbedded(values)) {
      const { backUpDirectory } = await import("./lmdb/backup.ts");
      return backUpDirectory(values["data-dir"], file);
    }
    await using etcd = await openEtcd(values);
    return await etcd.snapshot(file);
  },
  async restore(file, values) {
    if (isEmbedded(values)) return restoreStore(file, values["data-dir"]);
    await using etcd = await openEtcd(values);
    return await restoreInto(etcd, file);
  },
  async status(file) {
    return (await openSnapshot(file)).info;
  },
};

/** Whether the embedded store is selected. Exactly one store must be named. */
function isEmbedded(values: Values): boolean {
  const directory = values["data-dir"] !== "";
  if (directory === values["etcd-servers"].length > 0) {
    throw new FlagError("give either --data-dir or --etcd-servers");
  }
  return directory;
}

const openEtcd = (values: Values): Promise<EtcdStorage> =>
  openEtcdStore({
    servers: values["etcd-servers"],
    caFile: values["etcd-cafile"],
    certFile: values["etcd-certfile"],
    keyFile: values["etcd-keyfile"],
  });

function describe({ revision, keys, sizeBytes, sha256 }: SnapshotInfo): string {
  return `revision  ${revision}\nkeys      ${keys}\nsize      ${sizeBytes} bytes\nsha256    ${sha256}\n`;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
