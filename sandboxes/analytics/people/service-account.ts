import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { people, projectNumber } from "./people.ts";

/**
 * The key of the sandbox's service account. It opens nothing but the sandbox and is listed by it to anybody who asks, so it is
 * no secret; it is fixed because making one takes longer than the whole seed, and so that it outlives a restart.
 */
const keyParts = {
  kty: "RSA",
  n: [
    "vt7xQUKKnRyQdHb5C_QJiDOFFJhYEFKbi8nMhKQsW0yAoG7cGTg_D48jyWxCxwyfHUijFRkLdKJ0eCGmqo-YF_RzOgoZoDil-hV7",
    "Z-XGJmtqJGaJ27JnBM-9PVFkNJdpvT69faekS3dd3CFwRO7FsLmQk2oT_k1WzB5nbXR7nRFfCVLoIfuZZjBTit5TwvjoUDnyiGbq",
    "QJWT5VjjstyAUxu5kTBjtpdRxwgsiq2vywBNyIcs9sD7a5Pab0L5q_-mXQXMbjrhQA6RdEnBMPSLC88XghoiwzQIXWo8qd-cWE7y",
    "uG1I3Bb7-ArsdQ23c0CwTZjPewT42nqAcnPpSxkxHw",
  ].join(""),
  e: "AQAB",
  d: [
    "B76Q-5Mt5gQ8lW6_jSCCNubSo_-VNyUhTyTJdqpL0gqCsr-8w3MySWw6STGdn5wfl2pILHkSXp5tN_PMyOFzP0MsxH9lA2JSoOW4",
    "cGjbLaZ9eh7RwiD1DoKe5lS3ZAdIUL4YC_fYC5qhkgBzVACu81kCiJ15usw77nB4-HDZx4lU2iLPDOKli3F2M4YAB4WiH8d3o3qq",
    "jmUee2aU61LnXLLMgrNhzsiuxwgQvT6E-RaueKHfBeqOca9zXvkb-QaHkBUDOHPSmY3p7D6ithd_8ntoK3QjQLSNay2zp9C6jkya",
    "6-RtSqtcOJyLO7_8tulsC4RR7-y9CWzx4_gyh9A3bQ",
  ].join(""),
  p: [
    "5LEk9C5YTi4t80_DHd3qgIUOIsohdsALC3quwVcFE8p57phETCfTh4vpSviIpyerTvBpX-6qaNQ2zFjaMExmiEoLD0JG4068LbxR",
    "xe1yXVlLofq2ZVRQH9rTvZgOW1aHSDmdvpaCRBY69y9o27XY2Pj4YEo2lk6I-9FjdH0-DEU",
  ].join(""),
  q: [
    "1ammTit8eT0Dzlv0Xmxy5ouy9UQcG6qMKX_AfKcf-g4ZaVKQGikLIdGjva3neZqr-29PMX5t25JqYikd-lqXeOqYYFur6rWhk4-O",
    "pMTtbsUllADMitZkn4g1UKAygwm8YXtl4cFubm2pgJR1-gv4fHHoH68XDj5jNJ15dh89qBM",
  ].join(""),
  dp: [
    "3oFMRxfgaxCbPKRaXvDPfIP4oPixXmyzUlPnO82C7yKNSAt2R_Jn6PXD4mG184yxLHjUzbXUr3Hqbx_0ChILoIcKA6qkdfzhMk6L",
    "8Vt5bkG3SL46QJSr8JJkeY88SLoDnc4RIKIn1D8c1-uUxlBDz7dNUcJjIhL_TKMJdQl2GVE",
  ].join(""),
  dq: [
    "HAwgG6TTuyqKRF2Hz5lW3_K4tD-TnQIfUhdGElbx-KY_Kbc_2V9H6dGWOAELIMhwCRqMf8fD7g3jTy1slP-tYJ8TD5sZDz92jWNL",
    "6086h87zZuFP-G26WcLMlN_ioZb2lqlXL3Jv56kXlhxm_EL0BIoDWZ1nXmRMK4z8c8gYFOc",
  ].join(""),
  qi: [
    "nX0dgeZfqWb2NWeDz9UR1GPHNBdpeKIX4iook5rXIFi-6X8oJY-moQKc-MwHJ7qvHbWd3hjOXhDDfIH49VoQPAjerzSlKcBPMkjB",
    "AZ3A4IyJASVzV-zuktCi5O0QvTGoSftA0kyKZC7Y_4tHpqmBGEDwRiM4GOSruvT1coG7sCw",
  ].join(""),
};

let key: KeyObject | null = null;
const privateKey = (): KeyObject => (key ??= createPrivateKey({ key: keyParts, format: "jwk" }));

export const serviceAccountPublicKey = (): KeyObject => createPublicKey(privateKey());

export const disabledKeyId = "d15ab1edc0de";

/** As the vendor's key file has it. */
export function serviceAccountFile(
  baseUrl: string,
  { email, keyId = "5a9d0c4e7b21" }: { email: string; keyId?: string } = people.service,
): Record<string, string> {
  return {
    type: "service_account",
    project_id: /@([^.]+)/.exec(email)?.[1] ?? "",
    private_key_id: keyId,
    private_key: privateKey().export({ type: "pkcs8", format: "pem" }).toString(),
    client_email: email,
    client_id: `${projectNumber}00001`,
    auth_uri: `${baseUrl}/o/oauth2/auth`,
    token_uri: `${baseUrl}/token`,
  };
}

/** Service accounts that each lack one thing. One key serves all of them. */
export const otherServiceAccounts = (baseUrl: string): Record<string, object> => ({
  disabled_key: serviceAccountFile(baseUrl, { email: people.service.email, keyId: disabledKeyId }),
  disabled_account: serviceAccountFile(baseUrl, people.service_disabled),
  other_project: serviceAccountFile(baseUrl, people.service_other_project),
  no_role: serviceAccountFile(baseUrl, people.service_no_role),
});
