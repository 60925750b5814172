import type { TopologySpreadConstraint } from "#/api/core/v1.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelName } from "#/machinery/meta/label-selector.ts";
import { compileNodeSelector, compilePreferredTerms } from "#/machinery/pods/node-affinity.ts";
import { parseDuration } from "#/std/go/duration.ts";
import type { PluginArgs, UtilizationShapePoint } from "./plugin-args.ts";

type Validator<Name extends keyof PluginArgs> = (
  args: PluginArgs[Name],
  path: FieldPath,
) => FieldError[];

/**
 * What is wrong with the arguments of a plugin; those of plugins that have none are let be.
 *
 * Upstream: kubernetes/pkg/scheduler/apis/config/validation/validation_pluginargs.go.
 */
export function validatePluginArgs(name: string, args: object, path: FieldPath): FieldError[] {
  if (!Object.hasOwn(validators, name)) return [];
  // Defaulting has given each its shape.
  const validate = validators[name as keyof PluginArgs] as Validator<never>;
  return validate(args as never, path);
}

const inRange = (value: number, min: number, max: number, path: FieldPath): FieldError[] =>
  value >= min && value <= max ? [] : [invalid(path, value, `not in valid range [${min}, ${max}]`)];

const validators: { readonly [Name in keyof PluginArgs]: Validator<Name> } = {
  DefaultPreemption(args, path) {
    const { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute } = args;
    const percentagePath = path.child("minCandidateNodesPercentage");
    const absolutePath = path.child("minCandidateNodesAbsolute");
    const errors = inRange(percentage, 0, 100, percentagePath);
    if (absolute < 0) errors.push(invalid(absolutePath, absolute, "not in valid range [0, inf)"));
    if (percentage === 0 && absolute === 0) {
      const text = "cannot be zero at the same time as";
      errors.push(invalid(percentagePath, percentage, `${text} minCandidateNodesAbsolute`));
      errors.push(invalid(absolutePath, absolute, `${text} minCandidateNodesPercentage`));
    }
    return errors;
  },
  DynamicResources({ filterTimeout = "0s", bindingTimeout = "1s" }, path) {
    const errors: FieldError[] = [];
    if (parseDuration(filterTimeout) < 0) {
      errors.push(invalid(path.child("filterTimeout"), filterTimeout, "must be zero or positive"));
    }
    if (parseDuration(bindingTimeout) < 1_000) {
      const at = path.child("bindingTimeout");
      errors.push(invalid(at, bindingTimeout, "must be at least 1 second"));
    }
    return errors;
  },
  InterPodAffinity: ({ hardPodAffinityWeight }, path) =>
    inRange(hardPodAffinityWeight, 0, 100, path.child("hardPodAffinityWeight")),
  NodeAffinity({ addedAffinity }, path) {
    const at = path.child("addedAffinity");
    const {
      requiredDuringSchedulingIgnoredDuringExecution: demanded,
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    } = addedAffinity ?? {};
    const requiredPath = at.child("requiredDuringSchedulingIgnoredDuringExecution");
    const preferredPath = at.child("preferredDuringSchedulingIgnoredDuringExecution");
    return [
      ...(demanded ? compileNodeSelector(demanded, requiredPath).problems : []),
      ...compilePreferredTerms(preferred, preferredPath).problems,
    ].map((problem) => invalid(at, "", problem));
  },
  NodeResourcesBalancedAllocation({ resources }, path) {
    const seen = new Set<string>();
    return resources.flatMap(({ name, weight }, index) => {
      const at = path.child("resources").index(index);
      const errors = seen.has(name) ? [duplicate(at.child("name"), name)] : [];
      seen.add(name);
      return weight === 1 ? errors : [...errors, invalid(at.child("weight"), weight, "must be 1")];
    });
  },
  NodeResourcesFit({ ignoredResources = [], ignoredResourceGroups = [], scoringStrategy }, path) {
    const errors = ignoredResources.flatMap((name, index) =>
      validateLabelName(name, path.child("ignoredResources").index(index)),
    );
    ignoredResourceGroups.forEach((group, index) => {
      const at = path.child("ignoredResourceGroups").index(index);
      if (group.includes("/")) {
        errors.push(invalid(at, group, "resource group name can't contain '/'"));
      }
      errors.push(...validateLabelName(group, at));
    });
    return [...errors, ...validateStrategy(scoringStrategy, path.child("scoringStrategy"))];
  },
  PodTopologySpread({ defaultingType, defaultConstraints = [] }, path) {
    const errors: FieldError[] = [];
    const at = path.child("defaultingType");
    if (defaultingType !== "System" && defaultingType !== "List") {
      errors.push(notSupported(at, defaultingType, ["System", "List"]));
    } else if (defaultingType === "System" && defaultConstraints.length > 0) {
      errors.push(invalid(at, defaultingType, "when .defaultConstraints are not empty"));
    }
    const listPath = path.child("defaultConstraints");
    defaultConstraints.forEach((constraint, index) => {
      const before = defaultConstraints.slice(0, index);
      errors.push(...validateConstraint(constraint, before, listPath.index(index)));
    });
    return errors;
  },
  VolumeBinding({ bindTimeoutSeconds, shape }, path) {
    const text = "invalid BindTimeoutSeconds, should not be a negative value";
    const at = path.child("bindTimeoutSeconds");
    const errors = bindTimeoutSeconds < 0 ? [invalid(at, bindTimeoutSeconds, text)] : [];
    return [...errors, ...validateShape(shape, path.child("shape"))];
  },
};

const strategies = ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"];

function validateStrategy(
  { type, resources, requestedToCapacityRatio }: PluginArgs["NodeResourcesFit"]["scoringStrategy"],
  path: FieldPath,
): FieldError[] {
  const errors = strategies.includes(type)
    ? []
    : [notSupported(path.child("type"), type, strategies)];
  resources.forEach(({ name, weight }, index) => {
    if (weight > 0 && weight <= 100) return;
    const text = `resource weight of ${name} not in valid range (0, 100]`;
    errors.push(invalid(path.child("resources").index(index).child("weight"), weight, text));
  });
  const at = path.child("requestedToCapacityRatio");
  const isRatio = type === "RequestedToCapacityRatio";
  if (isRatio && requestedToCapacityRatio === undefined) {
    errors.push(required(at, "must be specified when type is RequestedToCapacityRatio"));
  } else if (isRatio) {
    errors.push(...validateShape(requestedToCapacityRatio?.shape ?? [], at.child("shape")));
  } else if (requestedToCapacityRatio !== undefined) {
    errors.push(forbidden(at, "must be nil when type is not RequestedToCapacityRatio"));
  }
  return errors;
}

function validateShape(shape: readonly UtilizationShapePoint[], path: FieldPath): FieldError[] {
  if (shape.length === 0) return [required(path, "at least one point must be specified")];
  const errors: FieldError[] = [];
  const unsorted = shape.findIndex((point, index) => {
    return index > 0 && (shape[index - 1]?.utilization ?? 0) >= point.utilization;
  });
  if (unsorted >= 0) {
    const at = path.index(unsorted).child("utilization");
    const text = "values must be sorted in increasing order";
    errors.push(invalid(at, shape[unsorted]?.utilization, text));
  }
  shape.forEach(({ utilization, score }, index) => {
    errors.push(...inRange(utilization, 0, 100, path.index(index).child("utilization")));
    errors.push(...inRange(score, 0, 10, path.index(index).child("score")));
  });
  return errors;
}

function validateConstraint(
  constraint: TopologySpreadConstraint,
  before: readonly TopologySpreadConstraint[],
  path: FieldPath,
): FieldError[] {
  const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector } = constraint;
  const errors: FieldError[] = [];
  if (maxSkew <= 0) {
    errors.push(invalid(path.child("maxSkew"), maxSkew, "not in valid range (0, inf)"));
  }
  const keyPath = path.child("topologyKey");
  errors.push(
    ...(topologyKey
      ? validateLabelName(topologyKey, keyPath)
      : [required(keyPath, "can not be empty")]),
  );
  const wayPath = path.child("whenUnsatisfiable");
  const ways = ["DoNotSchedule", "ScheduleAnyway"];
  if (!whenUnsatisfiable) errors.push(required(wayPath, "can not be empty"));
  else if (!ways.includes(whenUnsatisfiable)) {
    errors.push(notSupported(wayPath, whenUnsatisfiable, ways));
  }
  if (labelSelector !== undefined) {
    const text = "constraint must not define a selector, as they deduced for each pod";
    errors.push(forbidden(path.child("labelSelector"), text));
  }
  const isSame = (other: TopologySpreadConstraint): boolean =>
    other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable;
  if (before.some(isSame)) errors.push(duplicate(path, `{${topologyKey}, ${whenUnsatisfiable}}`));
  return errors;
}
