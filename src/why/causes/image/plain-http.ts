import { imageCause } from "../../facts/image-failure.ts";

export const imagePlainHttp = imageCause({
  name: "registry-plain-http",
  texts:
    /server gave HTTP response to HTTPS client|first record does not look like a TLS handshake/i,
  explain: ({ registry }) => ({
    sentence: `the registry ${registry} speaks plain HTTP, and the node expects HTTPS (TLS)`,
    fix: ["# declare it as a plain-HTTP registry: docs/how-to/images.md"],
  }),
});
