import { type Deployment, deployments } from "#/api/apps/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import {
  type Column,
  type Decoded,
  type RequestContext,
  serve,
} from "../../../registry/strategy.ts";
import { dropDisabledPodFields } from "../../core/pod-spec/drop-disabled-fields.ts";
import { templateValidationOptions } from "../../core/pod-spec/pod-validation-options.ts";
import { podTemplateWarnings } from "../../core/pod-spec/pod-warnings.ts";
import { ageColumn, nameColumn } from "../../rules/age.ts";
import { countGeneration, startGeneration } from "../../rules/generation.ts";
import { keepSpec, keepStatus } from "../../rules/keep-spec.ts";
import { templateColumns } from "../../workloads/container-columns.ts";
import { keepAnnotation } from "../../workloads/internal-annotation.ts";
import { hostNameWarnings, tryCompile } from "../../workloads/pod-template-rules.ts";
import { rollbackAnnotation, setDeploymentDefaults } from "./defaults.ts";
import { validateDeployment, validateDeploymentUpdate } from "./validate-deployment.ts";
import { validateDeploymentStatus } from "./validate-status.ts";

const templatePath = fieldPath("spec", "template");

const columns: readonly Column<Deployment>[] = [
  nameColumn,
  {
    name: "Ready",
    type: "string",
    cell: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  },
  { name: "Up-to-date", type: "string", cell: ({ status }) => status?.updatedReplicas ?? 0 },
  { name: "Available", type: "string", cell: ({ status }) => status?.availableReplicas ?? 0 },
  ageColumn,
  ...templateColumns<Deployment>(
    ({ spec }) => spec.template.spec.containers,
    ({ spec }) => tryCompile(spec.selector)?.toString() ?? "<invalid>",
  ),
];

/** Upstream: pkg/registry/apps/deployment/strategy.go. */
export const deployment = serve(deployments, {
  setDefaults: setDeploymentDefaults,
  prepareForCreate(object, context) {
    object.status = {};
    startGeneration(object);
    dropDisabledPodFields(object.spec.template, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    dropDisabledPodFields(object.spec.template, old.spec.template, context);
    // Annotations are copied to the ReplicaSets, so a change of annotations counts.
    countGeneration(object, old, (one) => [one.spec, one.metadata.annotations ?? {}]);
  },
  validate: (object, context) => validateDeployment(object, templateValidationOptions(context)),
  validateUpdate: (object, old, context) =>
    validateDeploymentUpdate(object, old, templateValidationOptions(context, old.spec.template)),
  warnings(object, old) {
    if (!old) {
      return [
        ...hostNameWarnings(object.metadata.name),
        ...podTemplateWarnings(object.spec.template, templatePath),
      ];
    }
    const changed = object.metadata.generation !== old.metadata.generation;
    return changed ? podTemplateWarnings(object.spec.template, templatePath) : [];
  },
  resetFields: ["status"],
  status: {
    prepareForUpdate: prepareStatusUpdate,
    validateUpdate: validateDeploymentStatus,
    resetFields: ["spec", "metadata.labels"],
  },
  scale: {
    specReplicas: ".spec.replicas",
    statusReplicas: ".status.replicas",
    selector: ".spec.selector",
  },
  columns,
});

function prepareStatusUpdate(
  object: Decoded<Deployment>,
  old: Decoded<Deployment>,
  context: RequestContext,
): void {
  keepSpec(object, old);
  keepAnnotation(object.metadata, old.metadata, rollbackAnnotation);
  if (old.metadata.labels) object.metadata.labels = { ...old.metadata.labels };
  else delete object.metadata.labels;
  const counts = context.enabled("DeploymentReplicaSetTerminatingReplicas");
  if (!counts && old.status?.terminatingReplicas === undefined) {
    delete object.status?.terminatingReplicas;
  }
}
