/** Upstream: k8s.io/cli-runtime/pkg/genericclioptions/config_flags.go, k8s.io/kubectl/pkg/cmd/cmd.go. */
import { homedir } from "node:os";
import { join } from "node:path";
import { type FlagType, flagTypes } from "#/std/flag-types.ts";
import type { FlagSet } from "#/std/flags.ts";

/** A list of patterns, which help shows without quotes. */
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

/** A duration as Go's own flags read it, who say less of what is wrong. */
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

/** The flags that every command has, but for the default of --cache-dir, which is a folder of the user's. */
export const globalFlags = {
  as: { type: "string", help: "User to act as: a user name, or a service account's" },
  "as-group": { type: "stringArray", help: "Group to act as a member of; may be repeated" },
  "as-uid": { type: "string", help: "UID to act with" },
  "as-user-extra": {
    type: "stringArray",
    help: "Extra field to act with, as key=value; may be repeated",
  },
  "cache-dir": { type: "string", help: "Folder for what is cached" },
  "certificate-authority": {
    type: "string",
    help: "File with the certificates of the server's authority",
  },
  "client-certificate": { type: "string", help: "File with a client certificate" },
  "client-key": { type: "string", help: "File with a client key" },
  cluster: { type: "string", help: "Cluster of the kubeconfig to use" },
  context: { type: "string", help: "Context of the kubeconfig to use" },
  "disable-compression": { type: "bool", help: "Ask the server for uncompressed answers" },
  "insecure-skip-tls-verify": {
    type: "bool",
    help: "Don't check the server's certificate. This makes the connection insecure",
  },
  kubeconfig: { type: "string", help: "Kubeconfig file to use" },
  kuberc: {
    type: "string",
    help: "File with the user's preferences. KUBECTL_KUBERC=false or KUBERC=off turn them off",
  },
  "log-flush-frequency": {
    type: plainDuration,
    default: 5000,
    help: "Most seconds between log flushes",
  },
  "match-server-version": { type: "bool", help: "Want the server to be of the client's version" },
  namespace: { type: "string", shorthand: "n", help: "Namespace of this request" },
  password: { type: "string", help: "Password for basic authentication" },
  profile: {
    type: "string",
    default: "none",
    help: "Profile to take. One of (none|cpu|heap|goroutine|threadcreate|block|mutex|trace)",
  },
  "profile-output": { type: "string", default: "profile.pprof", help: "File for the profile" },
  "proxy-url": { type: "string", help: "Proxy on the way to the server" },
  "request-timeout": {
    type: "string",
    default: "0",
    help: "How long one request may take, with a unit (1s, 2m, 3h). Zero means no limit",
  },
  server: { type: "string", shorthand: "s", help: "Address and port of the API server" },
  "tls-server-name": {
    type: "string",
    help: "Name that the server's certificate must have; the host name if not given",
  },
  token: { type: "string", help: "Bearer token" },
  user: { type: "string", help: "User of the kubeconfig to be" },
  username: { type: "string", help: "User name for basic authentication" },
  v: { type: "int32", shorthand: "v", help: "Verbosity of the log" },
  vmodule: {
    type: pattern,
    help: "Comma list of pattern=N for verbosity per file (only for the text log format)",
  },
  "warnings-as-errors": { type: "bool", help: "Fail if the server warns" },
} satisfies FlagSet;

export type GlobalFlags = typeof globalFlags;

/** Global flags that no help mentions. */
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

/** Where caches go unless --cache-dir says otherwise. */
export function defaultCacheDir(env: Readonly<Record<string, string | undefined>>): string {
  return env["KUBECACHEDIR"] || join(env["HOME"] || homedir(), ".kube", "cache");
}
