import { certificateSigningRequests } from "#/api/certificates/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { mayActForSigner } from "../../../auth/signer-permission.ts";
import { admissionPlugin } from "../../base/admission-plugin.ts";
import { forbid } from "../../base/forbid.ts";

/**
 * Issuing a certificate needs permission for its signer.
 * Upstream: plugin/pkg/admission/certificates/signing/admission.go.
 */
export const certificateSigning = admissionPlugin({
  name: "CertificateSigning",
  on: certificateSigningRequests,
  subresources: ["status"],
  operations: ["UPDATE"],
  validate(attributes, { authorizer }) {
    const { object, oldObject, user } = attributes;
    const { certificate, conditions = [] } = object.status ?? {};
    const { certificate: old, conditions: oldConditions = [] } = oldObject?.status ?? {};
    if (certificate === old && deepEqual(conditions, oldConditions)) return;
    const signer = oldObject?.spec.signerName ?? "";
    return mayActForSigner(authorizer, user, "sign", signer).then((allowed) => {
      if (allowed) return;
      throw forbid(
        attributes,
        `user not permitted to sign requests with signerName ${goQuote(signer)}`,
      );
    });
  },
});
