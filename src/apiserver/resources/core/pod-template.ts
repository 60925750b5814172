import { type PodTemplate, type PodTemplateSpec, podTemplates } from "#/api/core/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { formatLabels } from "#/machinery/meta/format-labels.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { serve } from "../../registry/strategy.ts";
import { nameColumn } from "../rules/age.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { containerImages, containerNames } from "../workloads/container-columns.ts";
import { dropDisabledPodFields } from "./pod-spec/drop-disabled-fields.ts";
import { setPodTemplateDefaults } from "./pod-spec/pod-defaults.ts";
import { templateValidationOptions } from "./pod-spec/pod-validation-options.ts";
import { podTemplateWarnings } from "./pod-spec/pod-warnings.ts";
import { validatePodTemplateSpec } from "./pod-spec/validate-pod-template.ts";

const path = fieldPath("template");

/** The template; it is always set after decoding and defaulting. */
function templateOf(object: PodTemplate): PodTemplateSpec {
  object.template ??= { metadata: {}, spec: { containers: [] } };
  return object.template;
}

/** Upstream: pkg/registry/core/podtemplate/strategy.go. */
export const podTemplate = serve(podTemplates, {
  setDefaults: (object) => setPodTemplateDefaults(templateOf(object)),
  prepareForCreate(object, context) {
    startGeneration(object);
    dropDisabledPodFields(templateOf(object), undefined, context);
  },
  prepareForUpdate(object, old, context) {
    dropDisabledPodFields(templateOf(object), old.template, context);
    countGeneration(object, old, ({ template }) => template);
  },
  validate: (object, context) => [
    ...validateNamespacedMeta(object.metadata, nameIsDNSSubdomain),
    ...validatePodTemplateSpec(templateOf(object), path, templateValidationOptions(context)),
  ],
  validateUpdate: (object, old, context) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validatePodTemplateSpec(
      templateOf(object),
      path,
      templateValidationOptions(context, old.template),
    ),
  ],
  warnings(object, old) {
    if (old && object.metadata.generation === old.metadata.generation) return [];
    return podTemplateWarnings(templateOf(object), path);
  },
  returnsDeletedObject: true,
  columns: [
    nameColumn,
    {
      name: "Containers",
      type: "string",
      cell: ({ template }) => containerNames(template?.spec.containers),
    },
    {
      name: "Images",
      type: "string",
      cell: ({ template }) => containerImages(template?.spec.containers),
    },
    {
      name: "Pod Labels",
      type: "string",
      cell: ({ template }) => formatLabels(template?.metadata.labels),
    },
  ],
});
