import { rm } from "node:fs/promises";
import type { Operation } from "../base/operation.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, saveSettings } from "../base/settings.ts";
import { ensureFolder, traverseOnly } from "../base/write-file.ts";
import { etcdProgram, memberFolder } from "../etcd/member-launch.ts";
import { prepareMachine } from "../programs/start-node.ts";
import { writeClusterFiles } from "../programs/write-cluster-files.ts";
import { type SharedFiles, writeSharedFiles } from "../shared-keys/shared-files.ts";
import { supervisorOf } from "../supervision/supervisor.ts";
import { becomeMember } from "./become-member.ts";
import { removeOwnMember } from "./remove-member.ts";

interface JoinState {
  readonly settings: ClusterSettings;
  /** The keys that servers share. */
  readonly files: SharedFiles;
  readonly noInstall: boolean;
  readonly timeoutMs: number;
}

/** Makes this machine a server of a cluster: everything but the start of its programs. */
export const joinOperation = (): Operation<JoinState> => ({
  name: "join --server",
  resumes: "before start",
  steps: (paths) => [
    {
      name: "keys of the cluster",
      run: ({ settings, files }) => writeKeys(paths, settings, files),
      undo: () => removeFiles(paths),
    },
    {
      name: "configuration",
      async run({ settings, noInstall }) {
        await prepareMachine(new Progress(), settings, noInstall);
        await writeClusterFiles(paths, settings);
      },
      undo: async () => undefined,
    },
    {
      name: "member of etcd",
      async run({ settings, timeoutMs }) {
        await becomeMember(paths, settings, { timeoutMs });
      },
      async undo({ settings }) {
        await removeOwnMember(paths, settings);
        await supervisorOf(paths, settings.name).stop(etcdProgram);
        await rm(memberFolder(paths), { recursive: true, force: true });
      },
    },
  ],
});

async function writeKeys(
  paths: ClusterPaths,
  settings: ClusterSettings,
  files: JoinState["files"],
): Promise<void> {
  await ensureFolder(paths.folder, traverseOnly);
  await ensureFolder(paths.pki);
  await writeSharedFiles(paths.pki, files);
  await saveSettings(paths, settings);
}

async function removeFiles({ pki, settings }: ClusterPaths): Promise<void> {
  await rm(pki, { recursive: true, force: true });
  await rm(settings, { force: true });
}
