import { certificateSigningRequests } from "#/api/certificates/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { mayActForSigner } from "../../../auth/signer-permission.ts";
import { admissionPlugin } from "../../base/admission-plugin.ts";
import { forbid } from "../../base/forbid.ts";

/**
 * Approval of a request needs permission for its signer.
 * Upstream: plugin/pkg/admission/certificates/approval/admission.go.
 */
export const certificateApproval = admissionPlugin({
  name: "CertificateApproval",
  on: certificateSigningRequests,
  subresources: ["approval"],
  operations: ["UPDATE"],
  async validate(attributes, { authorizer }) {
    const signer = attributes.oldObject?.spec.signerName ?? "";
    if (await mayActForSigner(authorizer, attributes.user, "approve", signer)) return;
    throw forbid(
      attributes,
      `user not permitted to approve requests with signerName ${goQuote(signer)}`,
    );
  },
});
