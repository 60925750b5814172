/** The sources of a cluster's name, in order of precedence. */
interface ClusterChoice {
  /** The value of --name; "" if it was not given. */
  readonly flag: string;
  /** The value of K8TS_CLUSTER. */
  readonly environment: string | undefined;
  /** The current context of the user's kubeconfig. */
  readonly context: string | undefined;
  /** Whether this machine has a cluster of that name. */
  exists(name: string): boolean;
  /** The name if no other is chosen. */
  readonly fallback: string;
}

/** The environment variable that names the cluster. */
export const clusterVariable = "K8TS_CLUSTER";

/**
 * The name of the command's cluster: the flag's, else the environment's, else that of the current context if
 * this machine has such a cluster (so that `k8ts status` and `kubectl` use the same), else the default.
 */
export function chooseCluster(choice: ClusterChoice): string {
  const { flag, environment, context, exists, fallback } = choice;
  if (flag !== "") return flag;
  if (environment) return environment;
  const isHere = context !== undefined && isClusterName(context) && exists(context);
  return isHere ? context : fallback;
}

/** Limit of a name's length: it is part of host names, links and units. */
const longestName = 32;

export const isClusterName = (name: string): boolean =>
  name.length <= longestName && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name);
