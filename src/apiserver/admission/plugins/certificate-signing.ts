import { certificateSigningRequests } from "#/api/certificates/v1.ts";
import { deepEqual } from "#/machinery/deep-equal.ts";
import { goQuote } from "#/std/go-quote.ts";
import { admissionPlugin } from "../admission-plugin.ts";
import { forbid } from "../forbid.ts";
import { mayActForSigner } from "./signer-permission.ts";

/** Who issues a certificate may sign for its signer. Upstream: plugin/pkg/admission/certificates/signing/admission.go. */
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
