import { type ResourceClaimTemplate, resourceClaimTemplates } from "#/api/resource/v1.ts";
import { resourceClaimTemplates as resourceClaimTemplatesBeta1 } from "#/api/resource/v1beta1.ts";
import { resourceClaimTemplates as resourceClaimTemplatesBeta2 } from "#/api/resource/v1beta2.ts";
import { deepEqual } from "#/machinery/deep-equal.ts";
import { invalid } from "#/machinery/field-error.ts";
import { fieldPath } from "#/machinery/field-path.ts";
import { validateLabels } from "#/machinery/label-selector.ts";
import { nameIsDNSSubdomain } from "#/machinery/names.ts";
import { immutableMessage, validateAnnotations } from "#/machinery/object-meta.ts";
import { type ApiObject, type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../age.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../object-meta-rules.ts";
import { validateAdminAccess } from "./admin-access.ts";
import { setClaimDefaults, validateClaimSpec } from "./claim-spec.ts";
import { gatherRequests, spreadRequests } from "./convert-beta.ts";

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
  validate: (object, context) => [
    ...validateAdminAccess(object.spec.spec.devices ?? {}, context),
    ...validateNamespacedMeta(object.metadata, nameIsDNSSubdomain),
    ...validateTemplate(object),
  ],
  validateUpdate: (object, old) => [
    ...validateTemplate(object),
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...(deepEqual(object.spec, old.spec) ? [] : [invalid(specPath, object.spec, immutableMessage)]),
  ],
  columns: [nameColumn, ageColumn],
});

const validateTemplate = ({ spec }: Template) => [
  ...validateAnnotations(
    spec.metadata?.annotations,
    specPath.child("metadata").child("annotations"),
  ),
  ...validateLabels(spec.metadata?.labels, specPath.child("metadata").child("labels")),
  ...validateClaimSpec(spec.spec, specPath.child("spec")),
];
