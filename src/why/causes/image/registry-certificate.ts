import { connectionFailure } from "../../facts/connection-failure.ts";
import { imageCause } from "../../facts/image-failure.ts";

export const registryCertificate = imageCause({
  name: "registry-certificate",
  texts: /x509:|tls: |certificate/i,
  explain: ({ registry, text }) => ({
    sentence: `the node does not trust the registry ${registry} (TLS): ${connectionFailure(text) ?? "its certificate is not accepted"}`,
    fix: ["# give the node the registry's authority: docs/how-to/images.md"],
  }),
});
