import { CommandFailure } from "../base/command-failure.ts";
import type { Operation } from "../base/operation.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, getSettings, saveSettings } from "../base/settings.ts";
import { EtcdMembers } from "../etcd/etcd-members.ts";
import { clientUrl, etcdProgram } from "../etcd/member-launch.ts";
import { startMember, stopProgram, stopServer } from "./own-member.ts";

interface State {
  readonly timeoutMs: number;
}

/** Makes a cluster of this server alone, when most of its servers are gone for ever. */
export const migrateToSingleServer: Operation<State> = {
  name: "migrate --to-single-server",
  resumes: "before start",
  steps: (paths) => [
    {
      name: "stopping the server and its etcd",
      async run() {
        const settings = getSettings(paths);
        await stopServer(paths, settings);
        await stopProgram(paths, settings, etcdProgram);
      },
    },
    {
      name: "etcd forgets its other members",
      async run({ timeoutMs }) {
        const settings = alone(getSettings(paths));
        await startMember(paths, settings, { timeoutMs, more: { "force-new-cluster": true } });
        await checkAlone(paths, settings);
      },
    },
    {
      name: "starting etcd as usual",
      async run({ timeoutMs }) {
        const settings = alone(getSettings(paths));
        await saveSettings(paths, settings);
        await startMember(paths, settings, { timeoutMs, more: {} });
        await checkAlone(paths, settings);
      },
    },
  ],
};

/** Without the list of the other members. */
function alone(settings: ClusterSettings): ClusterSettings {
  const { joined: _, isJoining: __, ...etcd } = settings.etcd ?? {};
  return { ...settings, etcd };
}

async function checkAlone(paths: ClusterPaths, { nodeIp }: ClusterSettings): Promise<void> {
  using members = new EtcdMembers(paths, [clientUrl(nodeIp)]);
  const all = await members.list();
  if (all.length === 1) return;
  const names = all.map(({ name }) => name).join(", ");
  throw new CommandFailure(`etcd still has the members ${names}`);
}
