/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/auth/cani.go. */

import { CommandError } from "../../base/errors.ts";
import { command } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { printAllowed } from "./allowed-actions.ts";

const resourceVerbs: ReadonlySet<string> = new Set(
  "get list watch create update patch delete deletecollection use bind impersonate * approve sign escalate attest".split(
    " ",
  ),
);
const urlVerbs: ReadonlySet<string> = new Set(
  "get put post head options delete patch *".split(" "),
);
/** Resource names that are not in discovery. */
const otherResources: ReadonlySet<string> = new Set(["users", "groups"]);

/** `kubectl auth can-i`. */
export const canI = command({
  usage: "can-i VERB [TYPE | TYPE/NAME | NONRESOURCEURL]",
  flags: {
    "all-namespaces": { type: "bool", shorthand: "A", help: "Ask for all namespaces together" },
    quiet: {
      type: "bool",
      shorthand: "q",
      help: "Print nothing; only the exit code is the answer",
    },
    subresource: {
      type: "string",
      help: "Subresource that is meant, such as log of Pods or scale of Deployments",
    },
    list: { type: "bool", help: "Print all actions that are allowed" },
    "no-headers": { type: "bool", help: "With --list: print the table without its first line" },
  },
  async run({ flags, args }, context) {
    if (flags.list) {
      if (args.length > 0) {
        throw new CommandError("list option must be specified with no arguments");
      }
      if (flags.quiet || flags["all-namespaces"] || flags.subresource !== "") {
        throw new CommandError(
          "list option can't be specified with neither quiet, all-namespaces nor subresource options",
        );
      }
      await printAllowed(context, flags["no-headers"]);
      return 0;
    }
    const [verb, target] = args;
    if (verb === undefined || target === undefined || args.length !== 2) {
      throw new CommandError(
        "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.",
      );
    }
    const { subresource } = flags;
    const namespace = flags["all-namespaces"] ? "" : (await context.cluster.namespace()).namespace;
    const spec = target.startsWith("/")
      ? urlSpec(verb, target, subresource, context)
      : await resourceSpec({ verb, namespace, subresource }, target, context);
    if (flags["no-headers"]) {
      throw new CommandError("--no-headers cannot be set without --list specified");
    }
    const answer = await review(spec, context);
    if (!flags.quiet) context.out.write(`${answerText(answer)}\n`);
    return answer.allowed ? 0 : 1;
  },
});

function warn(context: Context, text: string): void {
  context.err.write(`Warning: ${text}\n\n`);
}

function urlSpec(verb: string, path: string, subresource: string, context: Context): object {
  if (subresource !== "") {
    throw new CommandError("--subresource can not be used with NonResourceURL");
  }
  if (!urlVerbs.has(verb)) warn(context, `verb '${verb}' is not a known verb`);
  return { nonResourceAttributes: { verb, path } };
}

interface Action {
  readonly verb: string;
  readonly namespace: string;
  readonly subresource: string;
}

async function resourceSpec(action: Action, target: string, context: Context): Promise<object> {
  const slash = target.indexOf("/");
  const type = slash < 0 ? target : target.slice(0, slash);
  const name = slash < 0 ? "" : target.slice(slash + 1);
  const { group, resource, namespaced } = await resourceFor(type, context);
  if (action.namespace !== "") {
    if (!namespaced) {
      const where = group === "" ? "" : ` in group '${group}'`;
      warn(context, `resource '${resource}' is not namespace scoped${where}`);
    }
    if (!resourceVerbs.has(action.verb)) warn(context, `verb '${action.verb}' is not a known verb`);
  }
  return { resourceAttributes: { ...action, group, resource, name } };
}

interface FoundResource {
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

async function resourceFor(type: string, context: Context): Promise<FoundResource> {
  if (type === "*") return { group: "", resource: "*", namespaced: true };
  const mapper = await context.cluster.mapper();
  const found = await mapper.findResource(type.toLowerCase()).catch(() => undefined);
  if (found) return { group: found.group, resource: found.name, namespaced: found.namespaced };
  const [resource = "", ...group] = type.toLowerCase().split(".");
  const where = group.length === 0 ? "" : ` in group '${group.join(".")}'`;
  if (!otherResources.has(type)) {
    warn(context, `the server doesn't have a resource type '${resource}'${where}`);
  }
  return { group: "", resource: type, namespaced: true };
}

interface ReviewStatus {
  readonly allowed?: boolean;
  readonly reason?: string;
  readonly evaluationError?: string;
}

async function review(spec: object, context: Context): Promise<ReviewStatus> {
  const client = await context.cluster.client();
  const apiVersion = "authorization.k8s.io/v1";
  const { status = {} } = await client.request<{ status?: ReviewStatus }>({
    method: "POST",
    path: `/apis/${apiVersion}/selfsubjectaccessreviews`,
    body: { apiVersion, kind: "SelfSubjectAccessReview", metadata: {}, spec },
  });
  return status;
}

function answerText({ allowed, reason, evaluationError }: ReviewStatus): string {
  if (allowed) return "yes";
  return ["no", reason, evaluationError].filter(Boolean).join(" - ");
}
