import { hostname } from "node:os";
import { systemClock } from "#/std/time/clock.ts";
import { certificateSpecs } from "../access/certificates.ts";
import { ensurePki } from "../access/pki.ts";
import { storeFolder } from "../backup/collect.ts";
import type { EtcdSettings } from "../base/etcd-settings.ts";
import type { Operation } from "../base/operation.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, getSettings, saveSettings } from "../base/settings.ts";
import { etcdProgram, memberFolder } from "../etcd/member-launch.ts";
import { installMissing } from "../programs/start-node.ts";
import { programs } from "../supervision/programs.ts";
import { supervisorOf } from "../supervision/supervisor.ts";
import { keepAside, removeEtcdKeys } from "./kept-store.ts";
import {
  openEtcd,
  removeMember,
  startMember,
  startServer,
  stopProgram,
  stopServer,
} from "./own-member.ts";

interface State {
  readonly etcd: EtcdSettings;
  readonly noInstall: boolean;
  readonly timeoutMs: number;
}

/**
 * Writes that may be left when the server stops: the last ones are repeated while it doesn't run. More are repeated before
 * that, up to a number of times, as others are made meanwhile.
 */
const fewWrites = 50;
const maxRounds = 10;

/** Moves the objects of a cluster from the embedded store to an etcd that it gets, with their revisions. */
export const migrateToEtcd: Operation<State> = {
  name: "migrate --to-etcd",
  resumes: "before start",
  steps: (paths) => [
    {
      name: "certificates of etcd",
      async run({ etcd, noInstall }) {
        const target = { ...getSettings(paths), etcd };
        await installMissing(new Progress(), target, noInstall);
        await ensurePki(paths.pki, certificateSpecs(target, hostname()), systemClock.now());
      },
      undo: () => removeEtcdKeys(paths),
    },
    {
      name: "copying all objects, while the cluster is used",
      async run(state) {
        await copyAll(paths, state);
        await repeatWrites(paths, { ...getSettings(paths), etcd: state.etcd });
      },
      async undo() {
        const settings = getSettings(paths);
        await removeMember(paths, settings);
        await supervisorOf(paths, settings.name).install(programs(paths, settings));
      },
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
      name: "etcd is the store",
      async run(state) {
        const settings = getSettings(paths);
        // A machine that has restarted since has started the server with the old store.
        if (!settings.etcd) {
          await finishCopy(paths, state);
          await saveSettings(paths, { ...settings, etcd: state.etcd });
        }
        await keepAside(paths, storeFolder(paths));
      },
    },
  ],
};

/** Makes an etcd with all objects, and starts it. */
async function copyAll(paths: ClusterPaths, { etcd, timeoutMs }: State): Promise<void> {
  const settings = { ...getSettings(paths), etcd };
  const { settleMember, copyToMember } = await loadMigration();
  await removeMember(paths, settings);
  await startMember(paths, settings, { timeoutMs, more: { "snapshot-count": 1 } });
  {
    await using store = await openEtcd(paths, settings);
    await settleMember(store, memberFolder(paths));
  }
  await stopProgram(paths, settings, etcdProgram);
  await copyToMember(storeFolder(paths), memberFolder(paths));
  await startMember(paths, settings, { timeoutMs });
}

/** Repeats the writes of a server that runs, until few are left. */
async function repeatWrites(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const { catchUpEtcd } = await loadMigration();
  await using store = await openEtcd(paths, settings);
  for (let round = 0; round < maxRounds; round++) {
    if ((await catchUpEtcd(storeFolder(paths), store)) <= fewWrites) return;
  }
}

/** Without a server: etcd has every write then. */
async function finishCopy(paths: ClusterPaths, state: State): Promise<void> {
  const settings = { ...getSettings(paths), etcd: state.etcd };
  const { catchUpEtcd, compareStores } = await loadMigration();
  await stopServer(paths, settings);
  const repeat = async (): Promise<void> => {
    await startMember(paths, settings, { timeoutMs: state.timeoutMs });
    await using store = await openEtcd(paths, settings);
    await catchUpEtcd(storeFolder(paths), store);
    await compareStores(storeFolder(paths), store);
  };
  await repeat().catch(async (error: Error) => {
    // The store keeps the last minutes: after a long interruption, all is copied again.
    if (error.name !== "CompactedError") throw error;
    await copyAll(paths, state);
    await repeat();
  });
}

async function loadMigration() {
  const { loadMigration: load } = await import("#/storage/run.ts");
  return await load();
}
