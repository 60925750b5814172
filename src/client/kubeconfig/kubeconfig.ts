/** Upstream: staging/src/k8s.io/client-go/tools/clientcmd/api/v1/types.go. */

/** A kubeconfig file. Unknown fields are kept. */
export interface Kubeconfig {
  kind?: string;
  apiVersion?: string;
  preferences?: object;
  clusters?: NamedCluster[] | null;
  users?: NamedUser[] | null;
  contexts?: NamedContext[] | null;
  "current-context"?: string;
  extensions?: unknown[];
}

interface NamedCluster {
  name: string;
  cluster: Cluster;
}

interface NamedUser {
  name: string;
  user: User;
}

interface NamedContext {
  name: string;
  context: Context;
}

export interface Cluster {
  server?: string;
  "tls-server-name"?: string;
  "insecure-skip-tls-verify"?: boolean;
  "certificate-authority"?: string;
  /** Base64, as all data fields. */
  "certificate-authority-data"?: string;
  "proxy-url"?: string;
  "disable-compression"?: boolean;
  extensions?: unknown[];
}

export interface User {
  "client-certificate"?: string;
  "client-certificate-data"?: string;
  "client-key"?: string;
  "client-key-data"?: string;
  token?: string;
  tokenFile?: string;
  as?: string;
  "as-uid"?: string;
  "as-groups"?: string[];
  "as-user-extra"?: Record<string, string[]>;
  username?: string;
  password?: string;
  "auth-provider"?: { name?: string; config?: Record<string, string> | null };
  exec?: ExecConfig;
  extensions?: unknown[];
}

export interface Context {
  cluster?: string;
  user?: string;
  namespace?: string;
  extensions?: unknown[];
}

/** A plugin that provides credentials. */
export interface ExecConfig {
  command: string;
  args?: string[] | null;
  env?: { name: string; value: string }[] | null;
  apiVersion?: string;
  installHint?: string;
  provideClusterInfo?: boolean;
  interactiveMode?: string;
}
