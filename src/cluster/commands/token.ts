import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import {
  type BootstrapToken,
  generateToken,
  serverGroup,
  tokenSecret,
} from "../access/bootstrap-token.ts";
import { caHash } from "../access/ca-hash.ts";
import { mustKubectl } from "../access/kubectl.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { hasOwnMember } from "../base/etcd-settings.ts";
import { ownCommand } from "../base/own-command.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, getSettings, localServer, publicServer } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { textTable } from "../command-line/text-table.ts";
import { EtcdMembers } from "../etcd/etcd-members.ts";
import { clientUrl } from "../etcd/member-launch.ts";
import { storeName } from "../plan/store-flags.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { joinOptions } from "../plan/up-settings.ts";
import { keysObjects, serverTokenMs } from "../servers/keys-secret.ts";
import { generateServerKey, sealKeys } from "../servers/server-keys.ts";
import { readSharedFiles } from "../shared-keys/shared-files.ts";
import { checkRunning } from "../supervision/check-running.ts";

const tokenFlags = {
  ...clusterFlags,
  ttl: {
    type: "duration",
    default: 24 * 3600 * 1000,
    help: "How long the token is valid; 0 means without end.",
  },
  server: {
    type: "bool",
    help: "For create: the other machine becomes a server. The token is valid for two hours.",
  },
} as const;

/** `k8ts token create|list|delete`: the bootstrap tokens by which machines join. */
export const main = command({
  name: "token",
  description: `Manages the tokens with which machines join the cluster: create prints the command line to run on
the other machine, list shows the tokens there are, delete removes one.`,
  arguments: ["create|list|delete", "[ID]"],
  examples: [
    ["Let another machine join", "token create"],
    ["Create a token for one hour", "token create --ttl 1h"],
    ["Let another machine become a server of this cluster", "token create --server"],
    ["Remove a token", "token delete abcdef"],
  ],
  flags: tokenFlags,
  async run({ values, args: [verb, id] }) {
    const paths = pathsOf(values);
    const settings = getSettings(paths);
    if (settings.role !== "server") {
      throw new CommandFailure("tokens are managed on the machine of the server");
    }
    await checkRunning(paths, settings, "server");
    if (verb === "create" && values.server)
      process.stdout.write(`${await createServerToken(paths, settings)}\n`);
    else if (verb === "create")
      process.stdout.write(`${await createToken(paths, settings, values.ttl)}\n`);
    else if (verb === "list") process.stdout.write(await listTokens(paths));
    else if (verb === "delete" && id) process.stdout.write(await deleteToken(paths, id));
    else
      throw new CommandFailure(`say what to do: ${ownCommand("token create")}, list, or delete ID`);
    return 0;
  },
});

/** Creates a token, and returns the command line for another machine to join. */
async function createToken(
  paths: ClusterPaths,
  settings: ClusterSettings,
  ttlMs: number,
): Promise<string> {
  const token = generateToken();
  const secret = tokenSecret(token, ttlMs === 0 ? undefined : systemClock.now() + ttlMs);
  await mustKubectl(paths, ["create", "-f", "-"], { input: JSON.stringify(secret) });
  const access = await accessOptions(paths, token);
  warnOfNetwork(settings);
  return ownCommand(["join", publicServer(settings), access, ...joinOptions(settings)].join(" "));
}

/** Creates a token for a server, with the keys for it, and returns the command line. */
async function createServerToken(paths: ClusterPaths, settings: ClusterSettings): Promise<string> {
  if (!hasOwnMember(settings)) {
    const fix = settings.etcd
      ? "set up the other machine with: up --etcd-servers=… --pki=…"
      : `move them to etcd first: ${ownCommand("migrate --to-etcd", settings.name)}`;
    throw new CommandFailure(
      `this cluster has its objects in ${storeName(settings.etcd)}, which no other server can join; ${fix}`,
    );
  }
  using members = new EtcdMembers(paths, [clientUrl(new URL(localServer(settings)).hostname)]);
  const known = (await members.list()).map(({ name, peerUrls }) => `${name}=${peerUrls[0]}`);
  const token = generateToken();
  const secret = tokenSecret(token, systemClock.now() + serverTokenMs, serverGroup);
  const uid = await mustKubectl(paths, ["create", "-f", "-", "-o", "jsonpath={.metadata.uid}"], {
    input: JSON.stringify(secret),
  });
  const key = generateServerKey();
  const files = await readSharedFiles(paths.pki, settings);
  const sealed = sealKeys({ settings, members: known, files }, key, token.id);
  const objects = JSON.stringify(keysObjects(token, uid, sealed));
  await mustKubectl(paths, ["create", "-f", "-"], { input: objects });
  warnOfNetwork(settings);
  const access = await accessOptions(paths, token);
  return ownCommand(`join ${publicServer(settings)} --server ${access} --certificate-key ${key}`);
}

async function accessOptions(paths: ClusterPaths, token: BootstrapToken): Promise<string> {
  const hash = caHash(await readFile(join(paths.pki, "ca.crt"), "utf8"));
  return `--token ${token.id}.${token.secret} --ca-hash ${hash}`;
}

function warnOfNetwork({ name, networkNamespace }: ClusterSettings): void {
  if (!networkNamespace) return;
  const text = `cluster ${name} has a network of its own, which only this machine reaches: join with another --name here`;
  process.stderr.write(`k8ts: ${text}\n`);
}

const expiry =
  'go-template={{range .items}}{{index .data "token-id" | base64decode}}\t{{with index .data "expiration"}}{{. | base64decode}}{{else}}never{{end}}\n{{end}}';

async function listTokens(paths: ClusterPaths): Promise<string> {
  const selector = "--field-selector=type=bootstrap.kubernetes.io/token";
  const rows = await mustKubectl(paths, [
    "-n",
    "kube-system",
    "get",
    "secrets",
    selector,
    "-o",
    expiry,
  ]);
  const cells = rows
    .split("\n")
    .filter(Boolean)
    .map((row) => row.split("\t"));
  return textTable([["ID", "EXPIRES"], ...cells]);
}

const deleteToken = (paths: ClusterPaths, id: string): Promise<string> =>
  mustKubectl(paths, ["-n", "kube-system", "delete", "secret", `bootstrap-token-${id}`]);
