/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/create/create_{namespace,quota,serviceaccount,priorityclass,pdb}.go. */

import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { toLabelSelector } from "#/machinery/meta/label-selector.ts";
import { parseIntOrString } from "#/machinery/values/int-or-string.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { CommandError, messageOf } from "../../base/errors.ts";
import { generator } from "./generator.ts";

/** `kubectl create namespace`. */
export const createNamespace = generator({
  usage: "namespace NAME [--dry-run=server|client|none]",
  aliases: ["ns"],
  flags: {},
  build: ({ name }) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
});

/** `kubectl create serviceaccount`. */
export const createServiceAccount = generator({
  usage: "serviceaccount NAME [--dry-run=server|client|none]",
  aliases: ["sa"],
  flags: {},
  failure: "failed to create serviceaccount:",
  build: ({ metadata }) => ({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { ...metadata },
  }),
});

/** `kubectl create quota`. */
export const createQuota = generator({
  usage:
    "quota NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]",
  aliases: ["resourcequota"],
  flags: {
    hard: { type: "string", help: "Hard limits, as resource=quantity pairs separated by commas" },
    scopes: {
      type: "string",
      help: "Scopes, separated by commas; an object counts only if it matches all of them",
    },
  },
  failure: "failed to create quota:",
  build: ({ flags, metadata }) => ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { ...metadata },
    spec: {
      ...(flags.hard === "" ? {} : { hard: parseLimits(flags.hard) }),
      ...(flags.scopes === "" ? {} : { scopes: parseScopes(flags.scopes) }),
    },
  }),
});

function parseLimits(spec: string): Record<string, string> {
  const entries = spec.split(",").map((pair) => {
    const [resource = "", quantity, ...rest] = pair.split("=");
    if (quantity === undefined || rest.length > 0) {
      throw new CommandError(`Invalid argument syntax ${pair}, expected <resource>=<value>`);
    }
    try {
      return [resource, parseQuantity(quantity).toString()] as const;
    } catch (error) {
      throw new CommandError(messageOf(error), { cause: error });
    }
  });
  return Object.fromEntries(entries);
}

function parseScopes(spec: string): string[] {
  const scopes = spec.split(",");
  if (scopes.includes("")) throw new CommandError('invalid resource quota scope ""');
  return scopes;
}

/** `kubectl create priorityclass`. */
export const createPriorityClass = generator({
  usage: "priorityclass NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]",
  aliases: ["pc"],
  flags: {
    value: { type: "int32", help: "Priority that Pods of this class have" },
    "global-default": { type: "bool", help: "Give this class to Pods that name none" },
    description: { type: "string", help: "Text that says when to use the class" },
    "preemption-policy": {
      type: "string",
      default: "PreemptLowerPriority",
      help:
        "Whether Pods of this class preempt Pods of lower priority: PreemptLowerPriority or " +
        "Never",
    },
  },
  failure: "failed to create priorityclass:",
  build: ({ name, flags }) => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value: flags.value,
    globalDefault: flags["global-default"],
    description: flags.description,
    preemptionPolicy: flags["preemption-policy"],
  }),
});

/** `kubectl create poddisruptionbudget`. */
export const createPodDisruptionBudget = generator({
  usage:
    "poddisruptionbudget NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]",
  aliases: ["pdb"],
  flags: {
    "min-available": {
      type: "string",
      help: "Number or percentage of the Pods that must stay available",
    },
    "max-unavailable": {
      type: "string",
      help: "Number or percentage of the Pods that may be unavailable",
    },
    selector: {
      type: "string",
      help:
        "Labels of the Pods that the budget covers. Only requirements of equality are " +
        "supported",
    },
  },
  failure: "failed to create poddisruptionbudgets:",
  build: ({ flags, metadata }) => {
    const [min, max] = [flags["min-available"], flags["max-unavailable"]];
    checkBudget(flags.selector, min, max);
    const { matchLabels, matchExpressions } = parsedSelector(flags.selector);
    return {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { ...metadata },
      spec: {
        ...(min === ""
          ? { maxUnavailable: parseIntOrString(max) }
          : { minAvailable: parseIntOrString(min) }),
        selector: {
          ...(Object.keys(matchLabels).length > 0 ? { matchLabels } : {}),
          ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
        },
      },
    };
  },
});

function parsedSelector(text: string): ReturnType<typeof toLabelSelector> {
  try {
    return toLabelSelector(parseSelector(text));
  } catch (error) {
    throw new CommandError(messageOf(error), { cause: error });
  }
}

function checkBudget(selector: string, min: string, max: string): void {
  const format = /^[0-9]+%?$/;
  const rules: (readonly [boolean, string])[] = [
    [selector === "", "a selector must be specified"],
    [min === "" && max === "", "one of min-available or max-unavailable must be specified"],
    [min !== "" && max !== "", "min-available and max-unavailable cannot be both specified"],
    [min !== "" && !format.test(min), "invalid format specified for min-available"],
    [max !== "" && !format.test(max), "invalid format specified for max-unavailable"],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}
