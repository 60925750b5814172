/**
 * Upstream: staging/src/k8s.io/cli-runtime/pkg/genericclioptions/config_flags.go,
 * staging/src/k8s.io/kubectl/pkg/cmd/cmd.go.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { type FlagType, flagTypes } from "#/std/flags/flag-types.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import type { Completion } from "./completion.ts";

/** A list of patterns, which help prints without quotes. */
const pattern: FlagType<string> = {
  label: "pattern=N,...",
  zero: "",
  parse(text) {
    const isList = text === "" || text.split(",").every((entry) => /^[^=]+=-?\d+$/.test(entry));
    if (isList) return text;
    throw new Error("syntax error: expect comma-separated list of filename=N");
  },
  format: (value) => value,
};

/** A duration as Go's own flag package parses it, with shorter error messages. */
const plainDuration: FlagType<number> = {
  ...flagTypes.duration,
  parse(text, previous) {
    try {
      return flagTypes.duration.parse(text, previous);
    } catch {
      throw new Error("parse error");
    }
  },
};

/** The flags of every command. The default of --cache-dir is missing, as it depends on the user's home. */
export const globalFlags = {
  as: {
    type: "string",
    help:
      "User to impersonate: a user, or a service account of a namespace " +
      "(system:serviceaccount:NAMESPACE:NAME)",
  },
  "as-group": {
    type: "stringArray",
    help: "Group to impersonate. May be repeated for several groups",
  },
  "as-uid": { type: "string", help: "UID to impersonate" },
  "as-user-extra": {
    type: "stringArray",
    help:
      "Extra field to impersonate, as key=value. May be repeated, also for several values " +
      "of a key",
  },
  "cache-dir": { type: "string", help: "Directory for cached data" },
  "certificate-authority": {
    type: "string",
    help: "File with the certificates of the authority that signs the server's certificate",
  },
  "client-certificate": { type: "string", help: "File with a client certificate for TLS" },
  "client-key": { type: "string", help: "File with the key of the client certificate" },
  cluster: { type: "string", help: "Name of the cluster in the kubeconfig to use" },
  context: { type: "string", help: "Name of the context in the kubeconfig to use" },
  "disable-compression": { type: "bool", help: "Ask the server not to compress responses" },
  "insecure-skip-tls-verify": {
    type: "bool",
    help: "Do not check the server's certificate. This makes HTTPS connections insecure",
  },
  kubeconfig: { type: "string", help: "Kubeconfig file to use" },
  kuberc: {
    type: "string",
    help: "File with your preferences. KUBECTL_KUBERC=false or KUBERC=off turn them off",
  },
  "log-flush-frequency": {
    type: plainDuration,
    default: 5000,
    help: "Longest time between flushes of the log",
  },
  "match-server-version": {
    type: "bool",
    help: "Fail unless the server has the version of kubectl",
  },
  namespace: { type: "string", shorthand: "n", help: "Namespace of this request" },
  password: { type: "string", help: "Password for basic authentication to the API server" },
  profile: {
    type: "string",
    default: "none",
    help: "Profile to capture. One of (none|cpu|heap|goroutine|threadcreate|block|mutex|trace)",
  },
  "profile-output": {
    type: "string",
    default: "profile.pprof",
    help: "File that the profile is written to",
  },
  "proxy-url": { type: "string", help: "Proxy for requests to the API server" },
  "request-timeout": {
    type: "string",
    default: "0",
    help: "How long to wait for a single request, with a unit (1s, 2m, 3h). Zero means no limit",
  },
  server: { type: "string", shorthand: "s", help: "Address and port of the API server" },
  "tls-server-name": {
    type: "string",
    help: "Name to expect in the server's certificate; default the host that is contacted",
  },
  token: { type: "string", help: "Bearer token for authentication to the API server" },
  user: { type: "string", help: "Name of the user in the kubeconfig to use" },
  username: { type: "string", help: "User name for basic authentication to the API server" },
  v: { type: "int32", shorthand: "v", help: "Level of detail of the log, as a number" },
  vmodule: {
    type: pattern,
    help:
      "Levels of detail for single files, as pattern=N settings separated by commas (only " +
      "for the text log format)",
  },
  "warnings-as-errors": {
    type: "bool",
    help: "Treat warnings of the server as errors: end with an exit code other than zero",
  },
} satisfies FlagSet;

export type GlobalFlags = typeof globalFlags;

/** Completion of global flags. */
export const globalFlagCompletions: Readonly<Record<string, Completion>> = {
  namespace: { of: "names", type: "namespaces" },
  context: { of: "kubeconfig", section: "contexts" },
  cluster: { of: "kubeconfig", section: "clusters" },
  user: { of: "kubeconfig", section: "users" },
};

/** Hidden global flags. */
export const hiddenGlobalFlags = {
  alsologtostderr: { type: "bool", hidden: true, help: "" },
  "log-backtrace-at": { type: "string", hidden: true, help: "" },
  "log-dir": { type: "string", hidden: true, help: "" },
  "log-file": { type: "string", hidden: true, help: "" },
  "log-file-max-size": { type: "int", default: 1800, hidden: true, help: "" },
  logtostderr: { type: "bool", default: true, hidden: true, help: "" },
  "one-output": { type: "bool", hidden: true, help: "" },
  "skip-headers": { type: "bool", hidden: true, help: "" },
  "skip-log-headers": { type: "bool", hidden: true, help: "" },
  stderrthreshold: { type: "string", hidden: true, help: "" },
} satisfies FlagSet;

/** The default of --cache-dir. */
export function defaultCacheDir(env: Readonly<Record<string, string | undefined>>): string {
  return env["KUBECACHEDIR"] || join(env["HOME"] || homedir(), ".kube", "cache");
}
