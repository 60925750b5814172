/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go. */

import { CredentialError } from "#/client/kubeconfig/credential-error.ts";
import { KubeconfigError } from "#/client/kubeconfig/select-context.ts";
import { ServerUrlError } from "#/client/kubeconfig/server-url.ts";
import { ConnectionError } from "#/client/transport/connection-error.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";

/** A failure that is printed as `error: …`. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
}

/** Several failures, one line each. */
export class Errors extends Error {
  override readonly name = "Errors";
  readonly errors: readonly unknown[];

  constructor(errors: readonly unknown[]) {
    super(aggregateMessage(errors.map(messageOf)));
    this.errors = errors;
  }
}

/** A failure that is printed without the prefix `error: `. */
export class PlainError extends Error {
  override readonly name = "PlainError";
}

/** Ends kubectl with an exit code; prints the message, if there is one, without a prefix. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  readonly code: number;

  constructor(code: number, message = "") {
    super(message);
    this.code = code;
  }
}

/** A resource type that the server doesn't have. */
export class NoResourceMatch extends Error {
  override readonly name = "NoResourceMatch";

  constructor(resource: string, group = "", version = "") {
    super(noResourceMessage(resource, group, version));
  }
}

function noResourceMessage(resource: string, group: string, version: string): string {
  const place = [
    ...(group === "" ? [] : [`group "${group}"`]),
    ...(version === "" ? [] : [`version "${version}"`]),
  ].join(" and ");
  return `the server doesn't have a resource type "${resource}"${place === "" ? "" : ` in ${place}`}`;
}

/** A usage error, with a hint to the help. */
export function usageError(context: { readonly commandPath: string }, text: string): CommandError {
  return new CommandError(`${text}\nSee '${context.commandPath} -h' for help and examples`);
}

/** Throws a single error unchanged and several as Errors; does nothing if there is none. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new Errors(errors);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Go's text of an aggregate: `[a, b]`, without repetitions. */
function aggregateMessage(messages: readonly string[]): string {
  const different = [...new Set(messages)];
  return different.length === 1 ? (different[0] ?? "") : `[${different.join(", ")}]`;
}

/** The same failure, with the operation and the file. */
export function addSource(verb: string, source: string, error: unknown): unknown {
  if (source === "") return error;
  const prefix = `error when ${verb} ${JSON.stringify(source)}: `;
  if (error instanceof StatusError) {
    return new StatusError({ ...error.status, message: prefix + error.status.message });
  }
  return new CommandError(prefix + messageOf(error), { cause: error });
}

/** The output for a failure, and kubectl's exit code. */
export function report(failure: unknown): { readonly text: string; readonly code: number } {
  const [only, ...others] = failure instanceof Errors ? failure.errors : [failure];
  const error = others.length === 0 ? only : failure;
  if (error instanceof ExitError) return { text: error.message, code: error.code };
  return { text: reportText(error), code: 1 };
}

function reportText(error: unknown): string {
  if (error instanceof StatusError && error.status.reason === "Invalid") return invalidText(error);
  if (error instanceof KubeconfigError) return kubeconfigText(error);
  if (error instanceof NoResourceMatch) return `error: ${error.message}`;
  if (error instanceof PlainError) return error.message;
  if (error instanceof Errors) return error.errors.map((each) => `${oneLine(each)}\n`).join("");
  const standard = standardMessage(error);
  if (standard !== undefined) return standard;
  const message = messageOf(error);
  return message.startsWith("error: ") ? message : `error: ${message}`;
}

/** An error inside a list of errors. */
function oneLine(error: unknown): string {
  return standardMessage(error) ?? messageOf(error);
}

function standardMessage(error: unknown): string | undefined {
  if (error instanceof StatusError) {
    const { reason = "", message = "" } = error.status;
    if (reason === "Unauthorized") return `error: You must be logged in to the server (${message})`;
    return `Error from server${reason === "" ? "" : ` (${reason})`}: ${message}`;
  }
  if (error instanceof ConnectionError) return connectionText(error);
  if (error instanceof CredentialError || error instanceof ServerUrlError)
    return `Unable to connect to the server: ${error.message}`;
  return undefined;
}

function connectionText({ reason, url }: ConnectionError): string {
  if (reason.includes("connection refused")) {
    return `The connection to the server ${new URL(url).host} was refused - did you specify the right host or port?`;
  }
  return `Unable to connect to the server: ${reason}`;
}

function invalidText({ status }: StatusError): string {
  const { details, message = "" } = status;
  if (details === undefined) {
    return message === "" ? "The request is invalid" : `The request is invalid: ${message}`;
  }
  const { kind = "", name = "", causes = [] } = details;
  const named = kind !== "" || name !== "";
  const title = named ? `The ${kind} ${JSON.stringify(name)} is invalid` : "The request is invalid";
  if (causes.length === 0) return named || message === "" ? title : `${title}: ${message}`;
  const lines = causes.map((cause) => `${cause.field ?? ""}: ${cause.message ?? ""}`);
  return listText(`${title}: `, [...new Set(lines)]);
}

const ofWhole = /^(?:context was not found|more than one authentication method) /;

function kubeconfigText({ problems, message }: KubeconfigError): string {
  const [first = "", ...others] = problems;
  if (problems.some((problem) => problem.startsWith("no configuration has been"))) {
    return `error: ${message}`;
  }
  // A single error of a cluster or user is printed like any other error.
  const isAlone = others.length === 0 && !ofWhole.test(first);
  return isAlone ? `error: ${first}` : listText("Error in configuration: ", problems);
}

function listText(prefix: string, lines: readonly string[]): string {
  if (lines.length === 1) return `${prefix}${lines[0]}\n`;
  return `${prefix}\n${lines.map((line) => `* ${line}\n`).join("")}`;
}
