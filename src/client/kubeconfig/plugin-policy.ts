/**
 * Upstream: staging/src/k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go (ValidatePluginPolicy,
 * checkAllowlistLocked).
 */
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, join, normalize } from "node:path";
import { goQuote } from "#/std/go/go-quote.ts";

/** Which plugins may provide credentials. */
export interface PluginPolicy {
  /** "" or AllowAll, DenyAll, Allowlist. */
  readonly type: string;
  readonly allowlist?: readonly AllowedPlugin[] | undefined;
}

/** An entry of an allowlist: a path, or a name that is looked up in PATH. */
interface AllowedPlugin {
  readonly command: string;
  readonly name: string;
}

/** Throws if a policy is invalid. */
export function validatePluginPolicy({ type, allowlist }: PluginPolicy): void {
  if (type === "Allowlist") {
    validateAllowlist(allowlist);
    return;
  }
  if (!["", "AllowAll", "DenyAll"].includes(type)) {
    throw new Error(`unknown plugin policy: ${goQuote(type)}`);
  }
  if (allowlist === undefined) return;
  throw new Error(
    `misconfigured credential plugin allowlist: plugin policy is ${goQuote(type)} but allowlist is non-nil`,
  );
}

function validateAllowlist(allowlist: PluginPolicy["allowlist"]): void {
  const set = 'credential plugin policy set to "Allowlist"';
  if (!allowlist) throw new Error(`${set}, but allowlist is unspecified`);
  if (allowlist.length === 0) {
    throw new Error(`${set}, but allowlist is empty; use "DenyAll" policy instead`);
  }
  for (const [i, entry] of allowlist.entries()) {
    const command = commandOf(entry);
    if (command === "") {
      throw new Error(`misconfigured credential plugin allowlist: empty allowlist entry #${i + 1}`);
    }
    const clean = cleanPath(command);
    if (clean !== command) {
      throw new Error(`non-normalized file path: ${goQuote(command)} vs ${goQuote(clean)}`);
    }
  }
}

/** The command of an entry; `name` is its older field. */
function commandOf({ command, name }: { readonly command: string; readonly name: string }): string {
  return command === "" ? name : command;
}

/** The shortest equivalent path; "." for an empty one. */
export function cleanPath(path: string): string {
  const clean = normalize(path);
  return clean.length > 1 && clean.endsWith("/") ? clean.slice(0, -1) : clean;
}

/** Throws if a policy doesn't allow a plugin; returns the command to run. */
export function allowedPlugin(policy: PluginPolicy, command: string, path: string): string {
  if (policy.type === "DenyAll") {
    throw new Error(`plugin ${goQuote(command)} not allowed: policy set to "DenyAll"`);
  }
  if (policy.type !== "Allowlist") return command;
  const allowed = new Set((policy.allowlist ?? []).map(commandOf));
  const found = lookPath(command, path);
  if (allowed.has(command) || (found !== undefined && allowed.has(found))) return found ?? command;
  if (found === undefined) {
    const reason = command.includes("/")
      ? `exec: ${goQuote(command)}: stat ${command}: no such file or directory`
      : `exec: ${goQuote(command)}: executable file not found in $PATH`;
    throw new Error(
      `plugin path ${goQuote(command)} cannot be resolved for credential plugin allowlist check: ${reason}`,
    );
  }
  const resolved = [...allowed]
    .filter((entry) => basename(entry) === basename(found))
    .map((entry) => lookPath(entry, path));
  if (resolved.includes(found)) return found;
  throw new Error(
    `plugin path ${goQuote(found)} is not permitted by the credential plugin allowlist`,
  );
}

/** The executable of a command; undefined if there is none. */
function lookPath(command: string, path: string): string | undefined {
  if (command.includes("/")) return isExecutable(command) ? command : undefined;
  return path
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
