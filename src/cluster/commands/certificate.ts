import type { Endpoints } from "#/api/core/v1.ts";
import { FlagError, type FlagValues } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import {
  type FoundCertificate,
  listCertificates,
  type Renewal,
} from "../access/certificate-list.ts";
import { ServerSession } from "../access/server-session.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { findOperation, runOperation } from "../base/operation.ts";
import { ownCommand } from "../base/own-command.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { textTable } from "../command-line/text-table.ts";
import { localNodes } from "../local-nodes/local-nodes.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { rotations } from "../rotation/index.ts";
import { checkRunning } from "../supervision/check-running.ts";

const dayMs = 24 * 3600 * 1000;

const certificateFlags = {
  ...clusterFlags,
  without: {
    type: "stringSlice",
    help: "For rotate: `nodes` that are not waited for, servers included; they have to join again.",
  },
  "forget-old": {
    type: "bool",
    help: "For rotate service-account: end all tokens of the old key now, not when the last of them has expired.",
  },
} as const;

type Flags = FlagValues<typeof certificateFlags>;

/** `k8ts certificate check|rotate`: the certificates and keys of this machine. */
export const main = command({
  name: "certificate",
  description: `Shows and replaces the certificates and keys of the cluster on this machine. check lists them: whose each is, who
has signed it, when it ends, and what renews it; the exit code is 1 if one has expired. rotate replaces, while the
cluster runs: ${rotations.map(({ subject }) => subject).join(", ")}. A rotation that is interrupted is ended by the
same command, or by the next \`up\`.`,
  arguments: ["check|rotate", "[WHAT]"],
  examples: [
    ["List all certificates, those that end first at the top", "certificate check"],
    ["Replace the authority of the cluster", "certificate rotate ca"],
    ["Replace the key that encrypts Secrets", "certificate rotate encryption"],
  ],
  whenInterrupted: (cluster) =>
    `nothing is lost; to continue: the same command, or ${ownCommand("up", cluster)}`,
  flags: certificateFlags,
  async run({ values, args: [verb = "", subject = ""] }) {
    const paths = pathsOf(values);
    const settings = getSettings(paths);
    if (verb === "check") return await check(paths);
    if (verb !== "rotate") throw new FlagError(`unknown subcommand "${verb}": check, rotate`);
    await using _lock = await ownCluster(settings.name, "certificate rotate");
    await rotate(paths, settings, subject, values);
    return 0;
  },
});

async function rotate(
  paths: ClusterPaths,
  settings: ClusterSettings,
  subject: string,
  flags: Flags,
): Promise<void> {
  const found = rotations.find((one) => one.subject === subject);
  if (!found) {
    const known = rotations.map((one) => one.subject).join(", ");
    throw new FlagError(`rotate needs to know what: ${known}`);
  }
  if (settings.role !== "server") {
    throw new CommandFailure("rotations are made on the machine of the server");
  }
  if (subject === "encryption" && settings.documents?.["EncryptionConfiguration"]) {
    throw new CommandFailure(
      "the keys of Secrets are those of your EncryptionConfiguration: change them there",
    );
  }
  await checkRunning(paths, settings, "server");
  if (subject === "encryption") await refuseFirstKey(paths, settings);
  const args = { without: flags.without, forgets: flags["forget-old"] };
  const progress = new Progress();
  await runOperation(paths, found.operation, args, progress);
  if (found.afterwards) progress.print(found.afterwards);
}

/** The server of another machine does not start again by itself with a file of keys that it did not have. */
async function refuseFirstKey(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  if (settings.encryptsSecrets) return;
  using session = await ServerSession.open(paths, settings);
  const path = "/api/v1/namespaces/default/endpoints/kubernetes";
  const { subsets = [] } = await session.json<Endpoints>("GET", path);
  const servers = subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
  if (servers.length <= 1) return;
  throw new CommandFailure(
    `the cluster has no key for Secrets yet, and several servers (${servers.join(", ")}): the first key is made while it has one; let the others leave, and join again afterwards`,
  );
}

async function check(paths: ClusterPaths): Promise<number> {
  const own = (await listCertificates(paths)).map((found) => ({ found, node: "" }));
  const others = await Promise.all(
    localNodes(paths).map(async (node) =>
      (await listCertificates(node.paths)).map((found) => ({
        found,
        node: node.settings.nodeName,
      })),
    ),
  );
  const now = systemClock.now();
  const all = [...own, ...others.flat()];
  const rows = all.map(({ found, node }) => [
    node === "" ? found.file : `${node}: ${found.file}`,
    found.subject,
    found.issuer,
    new Date(found.expiresMs).toISOString().slice(0, 10),
    leftText(found, now),
    renewalText[found.renewal],
  ]);
  const heading = ["FILE", "SUBJECT", "SIGNED BY", "EXPIRES", "LEFT", "RENEWED BY"];
  process.stdout.write(textTable([heading, ...rows]));
  const pending = await findOperation(paths);
  if (pending) {
    process.stdout.write(`\n"${pending.name}" has not ended; it is at: ${pending.step}\n`);
  }
  return all.some(({ found }) => found.expiresMs <= now) ? 1 : 0;
}

const renewalText: Readonly<Record<Renewal, string>> = {
  server: "the server, while it runs",
  kubelet: "the kubelet, while it runs",
  nothing: "certificate rotate",
};

function leftText({ expiresMs }: FoundCertificate, now: number): string {
  const days = Math.floor((expiresMs - now) / dayMs);
  return expiresMs <= now ? "EXPIRED" : `${days}d`;
}
