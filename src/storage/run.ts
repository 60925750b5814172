import { FlagError, type FlagSet, type FlagValues, parseFlags } from "#/std/flags/flags.ts";
import { restoreInto } from "./base/restore-into.ts";
import { openSnapshot } from "./base/snapshot.ts";
import { type SnapshotInfo, StorageError } from "./base/storage.ts";
import type { EtcdStorage } from "./etcd/etcd-storage.ts";

const usage = `Copies of everything that a cluster stores.

Usage:
  k8ts snapshot save FILE     write all keys to a file; the cluster may run
  k8ts snapshot restore FILE  make a new store of them
  k8ts snapshot status FILE   check a file and say what is in it

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

/** `k8ts snapshot`; returns the exit code. */
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
    stderr.write(`k8ts snapshot: ${error.message}\n`);
    return 1;
  }
}

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
    if (isEmbedded(values)) {
      const { restoreDirectory } = await import("./lmdb/restore.ts");
      return restoreDirectory(file, values["data-dir"]);
    }
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

async function openEtcd(values: Values): Promise<EtcdStorage> {
  const { EtcdStorage } = await import("./etcd/etcd-storage.ts");
  const tls = {
    ...(values["etcd-cafile"] && { caFile: values["etcd-cafile"] }),
    ...(values["etcd-certfile"] && { certFile: values["etcd-certfile"] }),
    ...(values["etcd-keyfile"] && { keyFile: values["etcd-keyfile"] }),
  };
  return EtcdStorage.open({ endpoints: values["etcd-servers"], tls, compactIntervalMs: 0 });
}

function describe({ revision, keys, sizeBytes, sha256 }: SnapshotInfo): string {
  return `revision  ${revision}\nkeys      ${keys}\nsize      ${sizeBytes} bytes\nsha256    ${sha256}\n`;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
