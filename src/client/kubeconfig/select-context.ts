/** Upstream: staging/src/k8s.io/client-go/tools/clientcmd/client_config.go, validation.go. */
import { openFailure } from "#/std/files/file-errors.ts";
import { readFileSync } from "#/std/files/node-fs.ts";
import type { Cluster, Context, Kubeconfig, User } from "./kubeconfig.ts";

/** Flags that override the kubeconfig. */
export interface KubeconfigOverrides {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
  readonly clusterInfo?: Readonly<Cluster> | undefined;
  readonly userInfo?: Readonly<User> | undefined;
}

/** The cluster and user of a context. */
export interface SelectedContext {
  /** "" if there is none. */
  readonly name: string;
  readonly cluster: Cluster;
  readonly user: User;
  /** "default" if neither flags nor context name one. */
  readonly namespace: string;
}

/** A kubeconfig that can't be used, with all problems. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const different = [...new Set(problems)];
    const text = different.length === 1 ? different[0] : `[${different.join(", ")}]`;
    super(`invalid configuration: ${text}`);
    this.problems = problems;
  }
}

const emptyCluster = "cluster has no server defined";

const emptyConfigMessage =
  "no configuration has been provided, try setting KUBERNETES_MASTER environment variable";

/** Whether a kubeconfig has no content. */
export function isEmptyKubeconfig({ clusters, users, contexts, ...rest }: Kubeconfig): boolean {
  const lists = [clusters ?? [], users ?? [], contexts ?? []];
  return lists.every((list) => list.length === 0) && !rest["current-context"];
}

/** The cluster, user and namespace that a kubeconfig and flags select. Throws a KubeconfigError. */
export function selectContext(
  config: Kubeconfig,
  overrides: KubeconfigOverrides = {},
): SelectedContext {
  const name = overrides.context || config["current-context"] || "";
  const context = { ...findContext(config, overrides), ...named(overrides) };
  const user = userOf(config, context, overrides);
  const cluster = clusterOf(config, context, overrides);
  const problems = [...userProblems(user, context), ...clusterProblems(cluster, context)];
  const current = config["current-context"] ?? "";
  if (current !== "" && !config.contexts?.some((entry) => entry.name === current)) {
    problems.unshift(`context was not found for specified context: ${current}`);
  }
  if (problems.length === 1 && problems[0] === emptyCluster) problems[0] = emptyConfigMessage;
  if (problems.length > 0) throw new KubeconfigError(problems);
  const namespace = overrides.namespace || context.namespace || "default";
  return { name, cluster, user, namespace };
}

/** The namespace that a kubeconfig selects, even if its other parts are invalid. */
export function namespaceOf(config: Kubeconfig, overrides: KubeconfigOverrides = {}): string {
  return overrides.namespace || findContext(config, overrides).namespace || "default";
}

/** A missing context is an error only if it was requested by name. */
function findContext(config: Kubeconfig, { context: requested }: KubeconfigOverrides): Context {
  const name = requested || config["current-context"] || "";
  const found = config.contexts?.find((entry) => entry.name === name);
  if (!found && requested) throw new Error(`context "${requested}" does not exist`);
  return found?.context ?? {};
}

function named({ cluster, user }: KubeconfigOverrides): Context {
  return { ...(cluster ? { cluster } : {}), ...(user ? { user } : {}) };
}

function clusterOf(
  config: Kubeconfig,
  context: Context,
  { cluster: requested, clusterInfo = {} }: KubeconfigOverrides,
): Cluster {
  const name = context.cluster ?? "";
  const found = config.clusters?.find((entry) => entry.name === name);
  if (!found && requested) throw new Error(`cluster "${name}" does not exist`);
  const { "insecure-skip-tls-verify": insecure, server } = clusterInfo;
  const base = { ...found?.cluster };
  const trustsAnew =
    insecure || clusterInfo["certificate-authority"] || clusterInfo["certificate-authority-data"];
  if (trustsAnew) {
    delete base["insecure-skip-tls-verify"];
    delete base["certificate-authority"];
    delete base["certificate-authority-data"];
  }
  if (server) delete base["tls-server-name"];
  return { ...base, ...given(clusterInfo) };
}

function userOf(
  config: Kubeconfig,
  context: Context,
  { user: requested, userInfo = {} }: KubeconfigOverrides,
): User {
  const name = context.user ?? "";
  const found = config.users?.find((entry) => entry.name === name);
  if (!found && requested) throw new Error(`auth info "${name}" does not exist`);
  const base = { ...found?.user };
  if (userInfo.token) delete base.tokenFile;
  return { ...base, ...given(userInfo) };
}

/** The fields that are set. */
function given<T extends object>(info: T): Partial<T> {
  const entries = Object.entries(info).filter(
    ([, value]) => value !== undefined && value !== "" && value !== false,
  );
  return Object.fromEntries(entries) as Partial<T>;
}

function clusterProblems(cluster: Cluster, { cluster: name = "" }: Context): string[] {
  const problems: string[] = [];
  if (Object.keys(cluster).length === 0) return [emptyCluster];
  if (!cluster.server) {
    problems.push(
      name === ""
        ? "default cluster has no server defined"
        : `no server found for cluster "${name}"`,
    );
  }
  const ca = cluster["certificate-authority"];
  if (ca && !cluster["certificate-authority-data"]) {
    problems.push(...unreadable(ca, `unable to read certificate-authority ${ca} for ${name}`));
  }
  return problems;
}

function userProblems(user: User, { user: name = "" }: Context): string[] {
  const problems: string[] = [];
  const [cert, key] = [user["client-certificate"], user["client-key"]];
  const certData = user["client-certificate-data"];
  const keyData = user["client-key-data"];
  if ((cert || certData) && !key && !keyData) {
    problems.push(
      `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
    );
  }
  if (cert && !certData) {
    problems.push(...unreadable(cert, `unable to read client-cert ${cert} for ${name}`));
  }
  if (key && !keyData) {
    problems.push(...unreadable(key, `unable to read client-key ${key} for ${name}`));
  }
  return [...problems, ...execProblems(user, name), ...methodProblems(user, name)];
}

function methodProblems({ token, username, password }: User, name: string): string[] {
  const methods = [...(token ? ["token"] : []), ...(username || password ? ["basicAuth"] : [])];
  if (methods.length < 2) return [];
  return [
    `more than one authentication method found for ${name}; found [${methods.join(" ")}], only one is allowed`,
  ];
}

const interactiveModes = ["Never", "IfAvailable", "Always"];

/** The problems of a user with a credential plugin. */
function execProblems({ exec, "auth-provider": provider }: User, name: string): string[] {
  if (!exec) return [];
  const { command, apiVersion = "", env, interactiveMode = "" } = exec;
  const missing = (what: string): string =>
    `${what} must be specified for ${name} to use exec authentication plugin`;
  const isOld = /\/v1(?:alpha|beta)1$/.test(apiVersion);
  const mode = interactiveMode || (isOld ? "IfAvailable" : "");
  return [
    ...(provider
      ? [`authProvider cannot be provided in combination with an exec plugin for ${name}`]
      : []),
    ...(command ? [] : [missing("command")]),
    ...(apiVersion === "" ? [missing("apiVersion")] : []),
    ...(env ?? []).flatMap((variable) => (variable.name ? [] : missing("env variable name"))),
    ...(mode === "" ? [missing("interactiveMode")] : []),
    ...(mode === "" || interactiveModes.includes(mode)
      ? []
      : [`invalid interactiveMode for ${name}: "${mode}"`]),
  ];
}

function unreadable(path: string, what: string): string[] {
  try {
    readFileSync(path);
    return [];
  } catch (error) {
    return [`${what} due to ${openFailure(path, error)}`];
  }
}
