import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FlagError, type FlagValues } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import { mustKubectl } from "../access/kubectl.ts";
import { ServerSession } from "../access/server-session.ts";
import { labelValue, userBinding, userLabel, usersOf } from "../access/user-bindings.ts";
import { requestUserCertificate } from "../access/user-certificate.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { writeWhole } from "../base/write-file.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { textTable } from "../command-line/text-table.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { checkRunning } from "../supervision/check-running.ts";

const dayMs = 24 * 3600 * 1000;
/** Limits of the validity: the signer's own, and what the API takes at least. */
const maxDays = 365;
const minMs = 600_000;

const userFlags = {
  ...clusterFlags,
  group: { type: "stringSlice", help: "`Groups` that the user belongs to." },
  role: {
    type: "string",
    help: "A `ClusterRole` that the user gets: view, edit, admin, cluster-admin or one of yours.",
  },
  namespace: {
    type: "string",
    help: "The `namespace` in which that role counts; all if not given.",
  },
  "valid-for": {
    type: "duration",
    default: 90 * dayMs,
    help: `How long the certificate is valid: at most ${maxDays * 24}h.`,
  },
  output: {
    type: "string",
    help: "The `file` that gets the kubeconfig; standard output if not given.",
  },
} as const;

type Flags = FlagValues<typeof userFlags>;

interface Request {
  readonly paths: ClusterPaths;
  readonly settings: ClusterSettings;
  readonly flags: Flags;
  readonly name: string;
}

/** `k8ts user add|ls|rm`: people with kubeconfigs of their own. */
export const main = command({
  name: "user",
  description: `Gives other people access to the cluster, each with a kubeconfig of their own.

  add NAME   prints a kubeconfig with a certificate for that name
  ls         lists the users that have been added with a role
  rm NAME    takes away the roles that add has given

Kubernetes can't revoke a certificate: it is valid to its end. A user who has lost all roles can do nothing with it
but what every user may; groups are in the certificate, so prefer --role.`,
  arguments: ["add|ls|rm", "[NAME]"],
  examples: [
    ["Let jane look at everything", "user add jane --role=view --output=jane.kubeconfig"],
    [
      "Let joe work in one namespace for a week",
      "user add joe --role=edit --namespace=web --valid-for=168h",
    ],
    ["Take joe's rights away", "user rm joe"],
  ],
  flags: userFlags,
  async run({ values, args: [verb = "", name = ""] }) {
    const paths = pathsOf(values);
    const settings = getSettings(paths);
    if (settings.role !== "server") {
      throw new CommandFailure("users are added on the machine of the server");
    }
    const run = verbs[verb];
    if (!run) throw new FlagError(`unknown subcommand "${verb}": ${Object.keys(verbs).join(", ")}`);
    await checkRunning(paths, settings, "server");
    process.stdout.write(await run({ paths, settings, flags: values, name }));
    return 0;
  },
});

const verbs: Readonly<Record<string, (request: Request) => Promise<string>>> = { add, ls, rm };

async function add({ paths, settings, flags, name }: Request): Promise<string> {
  checkUser(name, flags);
  const { role, namespace, group: groups, "valid-for": validMs, output } = flags;
  if (role !== "") {
    // A role that is not there would give no rights, without a word.
    await mustKubectl(paths, ["get", "clusterrole", role]);
    const binding = JSON.stringify(userBinding({ user: name, role, namespace }));
    const apply = ["apply", "--server-side", "--force-conflicts", "-f", "-"];
    await mustKubectl(paths, apply, { input: binding });
  }
  const now = systemClock.now();
  const validSeconds = Math.round(validMs / 1000);
  using session = await ServerSession.open(paths, settings);
  const identity = await requestUserCertificate(session, { name, groups, validSeconds });
  if (role === "" && groups.length === 0) {
    const hint = ownCommand(`user add ${name} --role=view`, settings.name);
    process.stderr.write(`k8ts: ${name} has no rights yet; to let them read: ${hint}\n`);
  }
  const text = await kubeconfigOf(paths, settings, name, identity);
  if (output === "") return text;
  await writeWhole(output, text);
  const until = new Date(now + validMs).toISOString().slice(0, 10);
  return `wrote ${output}, for ${name} until ${until}\n`;
}

function checkUser(name: string, flags: Flags): void {
  if (name === "") throw new FlagError("NAME is missing");
  if (name.startsWith("system:") || flags.group.some((group) => group.startsWith("system:"))) {
    throw new CommandFailure("names that begin with system: belong to Kubernetes itself");
  }
  if (labelValue(name) === "" || name.length > 200) {
    throw new CommandFailure(
      `"${name}" is no name of a user: at most 200 characters, with a letter or digit`,
    );
  }
  const { "valid-for": validMs, namespace, role } = flags;
  if (validMs < minMs || validMs > maxDays * dayMs) {
    throw new CommandFailure(`--valid-for must be from 10m to ${maxDays * 24}h`);
  }
  if (namespace !== "" && role === "") {
    throw new CommandFailure("--namespace says where a --role counts; give both");
  }
}

/** A kubeconfig that needs no other file: it is sent to another machine. */
async function kubeconfigOf(
  paths: ClusterPaths,
  { name: cluster, server }: ClusterSettings,
  user: string,
  { certificate, key }: { readonly certificate: string; readonly key: string },
): Promise<string> {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const authority = await readFile(join(paths.pki, "ca.crt"), "utf8");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: cluster, cluster: { "certificate-authority-data": base64(authority), server } },
    ],
    users: [
      {
        name: user,
        user: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) },
      },
    ],
    contexts: [{ name: `${user}@${cluster}`, context: { cluster, user } }],
    "current-context": `${user}@${cluster}`,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

async function findUsers(paths: ClusterPaths, selector: string) {
  const resources = "clusterrolebindings,rolebindings";
  const get = ["get", resources, "-A", "-l", selector, "-o", "json"];
  return usersOf(JSON.parse(await mustKubectl(paths, get)));
}

async function ls({ paths, name }: Request): Promise<string> {
  if (name !== "") throw new FlagError(`unexpected argument "${name}"`);
  const users = await findUsers(paths, userLabel);
  if (users.length === 0) return "No user has been added with a role.\n";
  const rows = users.map(({ user, role, namespace }) => [user, role, namespace || "(all)"]);
  return textTable([["USER", "ROLE", "NAMESPACE"], ...rows]);
}

async function rm({ paths, name }: Request): Promise<string> {
  if (name === "") throw new FlagError("NAME is missing");
  const users = await findUsers(paths, `${userLabel}=${labelValue(name)}`);
  const own = users.filter(({ user }) => user === name);
  if (own.length === 0) throw new CommandFailure(`no role was given to "${name}"`);
  for (const { resource, binding, namespace } of own) {
    const at = namespace === "" ? [] : ["-n", namespace];
    await mustKubectl(paths, ["delete", `${resource}/${binding}`, ...at, "--ignore-not-found"]);
  }
  const roles = own.map(({ role, namespace }) => (namespace ? `${role} in ${namespace}` : role));
  return `took from ${name}: ${roles.join(", ")}\nThe certificate stays valid to its end, without these rights.\n`;
}
