import { type ClusterTrustBundle, clusterTrustBundles } from "#/api/certificates/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { mayActForSigner } from "../../../auth/signer-permission.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { admissionPlugin } from "../../base/admission-plugin.ts";
import { forbid } from "../../base/forbid.ts";

type Bundle = Decoded<ClusterTrustBundle>;

/**
 * Publishing a signer's roots needs permission to attest.
 * Upstream: plugin/pkg/admission/certificates/ctbattest/admission.go.
 */
export const clusterTrustBundleAttest = admissionPlugin({
  name: "ClusterTrustBundleAttest",
  on: clusterTrustBundles,
  operations: ["CREATE", "UPDATE"],
  validate(attributes, { authorizer, enabled }) {
    const { object, oldObject, user } = attributes;
    const signer = object.spec.signerName;
    if (!signer || !enabled("ClusterTrustBundle")) return;
    if (oldObject && changesNothingOfNote(object, oldObject)) return;
    return mayActForSigner(authorizer, user, "attest", signer).then((allowed) => {
      if (allowed) return;
      throw forbid(attributes, `user not permitted to attest for signerName ${goQuote(signer)}`);
    });
  },
});

/** The garbage collector needs no such permission for changes of metadata. */
function changesNothingOfNote(object: Bundle, old: Bundle): boolean {
  const plain = ({ metadata, ...rest }: Bundle) => {
    const { ownerReferences, finalizers, selfLink, managedFields, ...kept } = metadata;
    return { ...rest, metadata: kept };
  };
  return deepEqual(plain(object), plain(old));
}
