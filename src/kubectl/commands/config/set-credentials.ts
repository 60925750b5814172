/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/config/set_credentials.go. */
import { existsSync, readFileSync } from "node:fs";
import type { ExecConfig, User } from "#/client/kubeconfig/kubeconfig.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { KubeconfigAccess } from "./kubeconfig-access.ts";

const flags = {
  "client-certificate": {
    type: "string",
    help: "File with the client certificate",
  },
  "client-key": {
    type: "string",
    help: "File with the key of the client certificate",
  },
  token: { type: "string", help: "Bearer token to send" },
  username: { type: "string", help: "User name for basic authentication" },
  password: { type: "string", help: "Password for basic authentication" },
  "auth-provider": { type: "string", help: "Name of the auth provider to log in with" },
  "auth-provider-arg": {
    type: "stringSlice",
    help: "Argument of the auth provider, as 'key=value'; 'key-' removes it",
  },
  "exec-command": {
    type: "string",
    help: "Program that prints credentials (exec credential plugin)",
  },
  "exec-api-version": {
    type: "string",
    help: "API version that kubectl and that program exchange data in",
  },
  "exec-interactive-mode": {
    type: "string",
    help: "Whether that program may use the standard input: Never, IfAvailable or Always",
  },
  "exec-provide-cluster-info": {
    type: "bool",
    help: "Whether that program gets the data of the cluster",
  },
  "exec-arg": {
    type: "stringSlice",
    help: "Argument of that program; those given replace the present ones",
  },
  "exec-env": {
    type: "stringArray",
    help: "Environment variable of that program, as 'key=value'; 'key-' removes it",
  },
  "embed-certs": {
    type: "bool",
    help:
      "Store the content of the certificate and key files in the kubeconfig, instead of " +
      "their paths",
  },
} satisfies FlagSet;

type SetInvocation = Invocation<typeof flags>;

/** `kubectl config set-credentials`. */
export const setCredentials = command({
  usage:
    "set-credentials NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] [--token=bearer_token] [--username=basic_user] [--password=basic_password] [--auth-provider=provider_name] [--auth-provider-arg=key=value] [--exec-command=exec_command] [--exec-api-version=exec_api_version] [--exec-arg=arg] [--exec-env=key=value]",
  flags,
  async run(invocation, context) {
    const { args } = invocation;
    const [name] = args;
    if (name === undefined || args.length !== 1) {
      context.out.write(await context.help());
      throw new CommandError(`unexpected args: [${args.join(" ")}]`);
    }
    await checkPairs(invocation, context);
    check(name, invocation, context);
    const access = await KubeconfigAccess.open(context);
    const user = changed(access.find("users", name)?.user ?? {}, invocation, context);
    await access.put("users", { name, user });
    context.out.write(`User ${goQuote(name)} set.\n`);
  },
});

/** Invalid pairs are reported with the whole help. */
async function checkPairs({ flags: values }: SetInvocation, context: Context): Promise<void> {
  for (const flag of ["exec-env", "auth-provider-arg"] as const) {
    const wrong = values[flag].find((pair) => !pair.includes("=") && !pair.endsWith("-"));
    if (wrong === undefined) continue;
    context.out.write(await context.help());
    throw new CommandError(`invalid ${flag} format: ${wrong}`);
  }
}

function check(name: string, { flags: values }: SetInvocation, context: Context): void {
  if (name === "") throw new CommandError("you must specify a non-empty user name");
  const methods = [
    ...(values.token === "" ? [] : ["token"]),
    ...(values.username === "" && values.password === "" ? [] : ["username/password"]),
  ];
  if (methods.length > 1) {
    throw new CommandError(
      `you cannot specify more than one authentication method at the same time: ${methods.map((one) => `--${one}`.replace("--username/password", "--username/--password")).join(", ")}`,
    );
  }
  const mode = values["exec-interactive-mode"];
  if (mode !== "" && !["IfAvailable", "Never", "Always"].includes(mode)) {
    throw new CommandError("invalid interactive mode type, can be only IfAvailable, Never, Always");
  }
  if (!values["embed-certs"]) return;
  const names = ["client-certificate", "client-key"] as const;
  if (names.every((one) => values[one] === "")) {
    throw new CommandError("you must specify a --client-certificate or --client-key to embed");
  }
  for (const one of names) {
    const file = values[one];
    if (file === "" || existsSync(context.path(file))) continue;
    throw new CommandError(
      `could not stat ${one} file ${file}: stat ${file}: no such file or directory`,
    );
  }
}

function changed(old: User, invocation: SetInvocation, context: Context): User {
  const { flags: values, changed: given } = invocation;
  const user = { ...old };
  for (const name of ["client-certificate", "client-key"] as const) {
    if (!given.has(name)) continue;
    const path = context.path(values[name]);
    if (values["embed-certs"]) {
      delete user[name];
      user[`${name}-data`] = readFileSync(path).toString("base64");
    } else {
      delete user[`${name}-data`];
      user[name] = path;
    }
  }
  if (given.has("token")) user.token = values.token;
  if (given.has("username")) user.username = values.username;
  if (given.has("password")) user.password = values.password;
  if (given.has("token") && values.token !== "") {
    delete user.username;
    delete user.password;
  } else if (given.has("username") || given.has("password")) delete user.token;
  if (given.has("auth-provider") || given.has("auth-provider-arg")) {
    user["auth-provider"] = provider(user["auth-provider"], invocation);
  }
  const exec = execOf(user.exec, invocation);
  return exec ? { ...user, exec } : user;
}

function provider(
  old: object | undefined,
  { flags: values, changed: given }: SetInvocation,
): object {
  const before = old as { name?: string; config?: Record<string, string> } | undefined;
  const config = { ...before?.config };
  applyPairs(config, values["auth-provider-arg"]);
  const name = given.has("auth-provider") ? values["auth-provider"] : before?.name;
  return { config, name };
}

/** `key=value` sets, `key-` removes. */
function applyPairs(target: Record<string, string>, pairs: readonly string[]): void {
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 0 && pair.endsWith("-")) delete target[pair.slice(0, -1)];
    else target[pair.slice(0, at)] = pair.slice(at + 1);
  }
}

function execOf(
  old: ExecConfig | undefined,
  { flags: values, changed: given }: SetInvocation,
): ExecConfig | undefined {
  const names = [...given].filter((name) => name.startsWith("exec-"));
  if (names.length === 0) return old;
  const exec: ExecConfig = { command: "", ...old };
  if (given.has("exec-command")) exec.command = values["exec-command"];
  if (given.has("exec-api-version")) exec.apiVersion = values["exec-api-version"];
  if (given.has("exec-arg")) exec.args = [...values["exec-arg"]];
  if (given.has("exec-interactive-mode")) exec.interactiveMode = values["exec-interactive-mode"];
  if (given.has("exec-provide-cluster-info")) {
    exec.provideClusterInfo = values["exec-provide-cluster-info"];
  }
  if (given.has("exec-env")) {
    const env = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
    applyPairs(env, values["exec-env"]);
    exec.env = Object.entries(env).map(([name, value]) => ({ name, value }));
  }
  return exec;
}
