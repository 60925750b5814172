import { imageCause } from "../../facts/image-failure.ts";

export const imageRateLimit = imageCause({
  name: "image-rate-limit",
  texts: /toomanyrequests|429 Too Many Requests|rate limit/i,
  explain: ({ image, registry }) => ({
    sentence: `the registry ${registry} limits pulls (429 Too Many Requests), and refuses "${image}" for now`,
    fix: [
      "# wait, log in (an imagePullSecret has a higher limit), or load the image yourself:",
      "k8ts image load FILE.tar",
    ],
  }),
});
