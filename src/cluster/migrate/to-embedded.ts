import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { storeFolder } from "../backup/collect.ts";
import type { Operation } from "../base/operation.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, getSettings, saveSettings } from "../base/settings.ts";
import { etcdProgram, memberFolder, memberLaunchFile } from "../etcd/member-launch.ts";
import { programs } from "../supervision/programs.ts";
import { supervisorOf } from "../supervision/supervisor.ts";
import { keepAside } from "./kept-store.ts";
import { openEtcd, startMember, startServer, stopProgram, stopServer } from "./own-member.ts";

interface State {
  readonly timeoutMs: number;
}

/** The store while it is being made. */
const newStore = (paths: ClusterPaths): string => `${storeFolder(paths)}.migrating`;

/** Moves the objects of a cluster with one server from its etcd to the embedded store, with their revisions. */
export const migrateToEmbedded: Operation<State> = {
  name: "migrate --to-embedded",
  resumes: "before start",
  steps: (paths) => [
    {
      name: "copying all objects, while the cluster is used",
      run: (state) => copyAll(paths, state),
      undo: () => rm(newStore(paths), { recursive: true, force: true }),
    },
    {
      name: "stopping the server",
      run: () => stopServer(paths, getSettings(paths)),
      undo: () => startServer(paths, getSettings(paths)),
    },
    {
      name: "repeating the last writes, and comparing all keys",
      run: (state) => finishCopy(paths, state),
      undo: async () => undefined,
    },
    {
      name: "the embedded store is the store",
      async run(state) {
        const settings = getSettings(paths);
        if (settings.etcd) await switchStore(paths, settings, state);
        await stopProgram(paths, settings, etcdProgram);
        await keepAside(paths, memberFolder(paths));
        await rm(memberLaunchFile(paths), { force: true });
        await supervisorOf(paths, settings.name).install(programs(paths, getSettings(paths)));
      },
    },
  ],
};

async function copyAll(paths: ClusterPaths, { timeoutMs }: State): Promise<void> {
  const settings = getSettings(paths);
  const { copyToEmbedded } = await loadMigration();
  await startMember(paths, settings, { timeoutMs });
  await rm(newStore(paths), { recursive: true, force: true });
  await mkdir(paths.store, { recursive: true, mode: 0o700 });
  await using etcd = await openEtcd(paths, settings);
  await copyToEmbedded(etcd, newStore(paths));
}

/** Without a server: the embedded store has every write then. */
async function finishCopy(paths: ClusterPaths, state: State): Promise<void> {
  const settings = getSettings(paths);
  const { catchUpEmbedded, compareStores } = await loadMigration();
  await stopServer(paths, settings);
  await startMember(paths, settings, state);
  const repeat = async (): Promise<void> => {
    await using etcd = await openEtcd(paths, settings);
    await catchUpEmbedded(etcd, present(paths));
    await compareStores(present(paths), etcd);
  };
  await repeat().catch(async (error: Error) => {
    // etcd keeps the last minutes: after a long interruption, all is copied again.
    if (error.name !== "CompactedError") throw error;
    await rm(storeFolder(paths), { recursive: true, force: true });
    await copyAll(paths, state);
    await repeat();
  });
}

/** The new store; an interruption may have come after it was moved to its place. */
const present = (paths: ClusterPaths): string =>
  existsSync(newStore(paths)) ? newStore(paths) : storeFolder(paths);

/** A machine that has restarted since the comparison has started the server with etcd. The store is in its place first. */
async function switchStore(
  paths: ClusterPaths,
  settings: ClusterSettings,
  state: State,
): Promise<void> {
  await finishCopy(paths, state);
  if (existsSync(newStore(paths))) await rename(newStore(paths), storeFolder(paths));
  const { etcd: _, ...embedded } = settings;
  await saveSettings(paths, embedded);
}

async function loadMigration() {
  const { loadMigration: load } = await import("#/storage/run.ts");
  return await load();
}
