import { connectionFailure } from "../../facts/connection-failure.ts";
import { imageCause } from "../../facts/image-failure.ts";

export const registryUnreachable = imageCause({
  name: "registry-unreachable",
  texts:
    /dial tcp|no such host|connection refused|i\/o timeout|deadline exceeded|no route to host|network is unreachable|proxyconnect|RegistryUnavailable|connection reset|: EOF|5\d\d (?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway)/i,
  explain: ({ registry, image, text, setImage }) => {
    const status =
      /5\d\d (?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)/i.exec(
        text,
      )?.[0];
    const why = status ? `it answers ${status}` : (connectionFailure(text) ?? "it does not answer");
    const proxy = /proxyconnect/.test(text) ? ", through the proxy," : "";
    return {
      sentence: status
        ? `the registry ${registry}${proxy} fails to give "${image}": ${why}`
        : `the node cannot reach the registry ${registry}${proxy} for "${image}": ${why}`,
      fix: ["# without a network, load the image yourself: k8ts image load FILE.tar", setImage],
    };
  },
});
