import {
  type LimitedPriorityLevelConfiguration,
  type PriorityLevelConfiguration,
  priorityLevelConfigurations,
  type QueuingConfiguration,
} from "#/api/flowcontrol/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { groupInternalForm } from "../rules/internal-form.ts";
import { keepStatus } from "../rules/keep-spec.ts";
import { validateClusterMeta } from "../rules/object-meta-rules.ts";
import { validateConditionTypes } from "./flow-schema.ts";
import { mandatoryPriorityLevels } from "./mandatory-objects.ts";

type Level = Decoded<PriorityLevelConfiguration>;

const specPath = fieldPath("spec");
const maxQueues = 10_000_000;
const maxEntropyBits = 60;
const zeroSharesAnnotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/**
 * Upstream: pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go,
 * pkg/apis/flowcontrol/v1/defaults.go, pkg/apis/flowcontrol/validation/validation.go.
 */
export const priorityLevelConfiguration = serve(priorityLevelConfigurations, {
  setDefaults,
  prepareForCreate(object) {
    object.status = {};
    startGeneration(object);
  },
  prepareForUpdate(object, old) {
    countGeneration(object, old);
    keepStatus(object, old);
  },
  validate: validateLevel,
  validateUpdate: validateLevel,
  resetFields: ["status"],
  status: {
    validateUpdate: ({ status }) => validateConditionTypes(status),
    resetFields: ["metadata", "spec"],
  },
  columns: [
    nameColumn,
    { name: "Type", type: "string", cell: ({ spec }) => spec.type },
    {
      name: "NominalConcurrencyShares",
      type: "string",
      cell: ({ spec }) => spec.limited?.nominalConcurrencyShares ?? "<none>",
    },
    { name: "Queues", type: "string", cell: (object) => queuing(object)?.queues ?? "<none>" },
    { name: "HandSize", type: "string", cell: (object) => queuing(object)?.handSize ?? "<none>" },
    {
      name: "QueueLengthLimit",
      type: "string",
      cell: (object) => queuing(object)?.queueLengthLimit ?? "<none>",
    },
    ageColumn,
  ],
});

const queuing = ({ spec }: Level): QueuingConfiguration | undefined =>
  spec.limited?.limitResponse?.queuing;

function setDefaults(object: Level): void {
  const { exempt, limited } = object.spec;
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
  if (limited) {
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
  }
  const queues = queuing(object);
  if (queues) {
    queues.handSize ||= 8;
    queues.queues ||= 64;
    queues.queueLengthLimit ||= 50;
  }
}

function validateLevel(object: Level): FieldError[] {
  const { metadata, status } = object;
  const report = new FieldReport();
  report.add(validateClusterMeta(metadata, nameIsDNSSubdomain));
  if (metadata.annotations?.[zeroSharesAnnotation] !== undefined) {
    const detail = `annotation '${zeroSharesAnnotation}' is forbidden`;
    report.forbidden(fieldPath("metadata"), "annotations", detail);
  }
  validateSpec(report, object);
  validateFixed(report, object);
  report.add(validateConditionTypes(status));
  validateParts(report, object);
  return report.errors;
}

/** Checks which parts are required and forbidden for the type; these errors are reported last. */
function validateParts(report: FieldReport, { spec }: Level): void {
  const { type, exempt, limited } = spec;
  if (type !== "Exempt" && exempt) report.forbidden(specPath, "exempt", "");
  if (type !== "Limited" && limited) report.forbidden(specPath, "limited", "");
  if (type === "Limited" && !limited) report.required(specPath, "limited");
  if (!type) report.required(specPath, "type");
  if (!limited) return;
  const path = specPath.child("limited").child("limitResponse");
  const { type: response, queuing: queues } = limited.limitResponse ?? {};
  if (response !== "Queue" && queues) report.forbidden(path, "queuing", "");
  if (response === "Queue" && !queues) report.required(path, "queuing");
  if (!response) report.required(path, "type");
}

/** The mandatory levels are immutable, except for the shares of the exempt one. */
function validateFixed(report: FieldReport, { metadata: { name }, spec }: Level): void {
  const fixed = mandatoryPriorityLevels().find(({ metadata }) => metadata.name === name);
  if (!fixed) return;
  const { exempt: _, ...rest } = spec;
  const { exempt: __, ...fixedRest } = fixed.spec;
  const isSame = name === "exempt" ? deepEqual(rest, fixedRest) : deepEqual(spec, fixed.spec);
  if (isSame) return;
  const but = name === "exempt" ? " except the 'spec.exempt' field" : "";
  const shown = groupInternalForm("flowcontrol/v1", "PriorityLevelConfigurationSpec", spec);
  report.invalid(specPath, "", shown, `spec of '${name}'${but} must equal the fixed value`);
}

function validateSpec(report: FieldReport, { metadata, spec }: Level): void {
  const { type, exempt, limited } = spec;
  if ((metadata.name === "exempt") !== (type === "Exempt")) {
    const detail = "must be 'Exempt' if and only if `name` is 'exempt'";
    report.invalid(specPath, "type", type ?? "", detail);
  }
  if (type === "Exempt") {
    if (exempt) validateShares(report, specPath.child("exempt"), exempt);
  } else if (type === "Limited") {
    if (limited) validateLimited(report, specPath.child("limited"), limited);
  } else if (type) report.notSupported(specPath, "type", type, ["Exempt", "Limited"]);
}

interface Shares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

function validateShares(report: FieldReport, path: FieldPath, shares: Shares): void {
  const { nominalConcurrencyShares: nominal = 0 } = shares;
  if (nominal < 0) {
    report.invalid(path, "nominalConcurrencyShares", nominal, "must be a non-negative integer");
  }
  validateLendable(report, path, shares);
}

function validateLendable(report: FieldReport, path: FieldPath, shares: Shares): void {
  const { lendablePercent: lendable = 0 } = shares;
  if (lendable >= 0 && lendable <= 100) return;
  report.invalid(path, "lendablePercent", lendable, "must be between 0 and 100, inclusive");
}

function validateLimited(
  report: FieldReport,
  path: FieldPath,
  limited: LimitedPriorityLevelConfiguration,
): void {
  const { nominalConcurrencyShares: nominal = 0, borrowingLimitPercent: borrowing = 0 } = limited;
  if (nominal < 0) {
    report.invalid(path, "nominalConcurrencyShares", nominal, "must be a non-negative integer");
  }
  validateResponse(report, path.child("limitResponse"), limited.limitResponse);
  validateLendable(report, path, limited);
  if (borrowing < 0) {
    const detail = "if specified, must be a non-negative integer";
    report.invalid(path, "borrowingLimitPercent", borrowing, detail);
  }
}

function validateResponse(
  report: FieldReport,
  path: FieldPath,
  response: LimitedPriorityLevelConfiguration["limitResponse"] | undefined,
): void {
  const { type = "", queuing: queues } = response ?? {};
  if (type === "Queue" && queues) validateQueuing(report, path.child("queuing"), queues);
  if (type === "Queue" || type === "Reject") return;
  if (type !== "") report.notSupported(path, "type", type, ["Queue", "Reject"]);
}

function validateQueuing(
  report: FieldReport,
  path: FieldPath,
  { queues, handSize, queueLengthLimit }: QueuingConfiguration,
): void {
  if (queueLengthLimit <= 0) {
    report.invalid(path, "queueLengthLimit", queueLengthLimit, "must be positive");
  }
  if (queues <= 0) report.invalid(path, "queues", queues, "must be positive");
  else if (queues > maxQueues) {
    report.invalid(path, "queues", queues, `must not be greater than ${maxQueues}`);
  }
  if (handSize <= 0) report.invalid(path, "handSize", handSize, "must be positive");
  else if (handSize > queues) {
    const detail = `should not be greater than queues (${queues})`;
    report.invalid(path, "handSize", handSize, detail);
  } else if (Math.ceil(Math.log2(queues) * handSize) > maxEntropyBits) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxEntropyBits}`;
    report.invalid(path, "handSize", handSize, detail);
  }
}
