import { type ResourceClaimTemplate, resourceClaimTemplates } from "#/api/resource/v1.ts";
import { resourceClaimTemplates as resourceClaimTemplatesBeta1 } from "#/api/resource/v1beta1.ts";
import { resourceClaimTemplates as resourceClaimTemplatesBeta2 } from "#/api/resource/v1beta2.ts";
import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import {
  type ApiObject,
  type Decoded,
  type RequestContext,
  serve,
} from "../../registry/strategy.ts";
import { validateTemplateMeta } from "../core/pod-spec/volumes/claim-template.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { groupInternalForm } from "../rules/internal-form.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { validateAdminAccess } from "./admin-access.ts";
import { setClaimDefaults, validateClaimSpec } from "./claim-spec.ts";
import { gatherRequests, spreadRequests } from "./convert-beta.ts";
import { dropDisabledClaimFields } from "./drop-disabled-fields.ts";

type Template = Decoded<ResourceClaimTemplate>;

const specPath = fieldPath("spec");
const claimSpecOf = (object: ApiObject) => (object as Template).spec.spec;

/**
 * Upstream: pkg/registry/resource/resourceclaimtemplate/strategy.go,
 * pkg/apis/resource/validation/validation.go.
 */
export const resourceClaimTemplate = serve(resourceClaimTemplates, {
  versions: [
    { handle: resourceClaimTemplatesBeta2 },
    {
      handle: resourceClaimTemplatesBeta1,
      toStored(object) {
        gatherRequests(claimSpecOf(object));
        return object;
      },
      fromStored(object) {
        spreadRequests(claimSpecOf(object));
        return object;
      },
    },
  ],
  returnsDeletedObject: true,
  setDefaults: ({ spec }) => setClaimDefaults(spec.spec),
  prepareForCreate: ({ spec }, context) => dropDisabledClaimFields(spec.spec, undefined, context),
  prepareForUpdate: ({ spec }, old, context) =>
    dropDisabledClaimFields(spec.spec, old.spec.spec, context),
  validate: (object, context) => [
    ...validateAdminAccess(object.spec.spec.devices ?? {}, context),
    ...validateNamespacedMeta(object.metadata, nameIsDNSSubdomain),
    ...validateTemplate(object, context),
  ],
  validateUpdate: (object, old, context) => [
    ...validateNamespacedMeta(object.metadata, nameIsDNSSubdomain),
    ...validateTemplate(object, context, [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...(deepEqual(object.spec, old.spec)
        ? []
        : [invalid(specPath, internalSpec(object.spec), immutableMessage)]),
    ]),
  ],
  columns: [nameColumn, ageColumn],
});

const internalSpec = (spec: Template["spec"]): unknown =>
  groupInternalForm("resource/v1", "ResourceClaimTemplateSpec", spec);

const validateTemplate = (
  { spec }: Template,
  context: RequestContext,
  others: readonly FieldError[] = [],
): FieldError[] => [
  ...validateTemplateMeta(spec.metadata ?? {}, specPath.child("metadata")),
  ...validateClaimSpec(spec.spec, specPath.child("spec"), context, others),
];
