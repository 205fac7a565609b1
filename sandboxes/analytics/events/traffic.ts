/** Where a session came from. */
export interface Traffic {
  source: string;
  medium: string;
  channel: string;
  campaign: string;
  campaignId: string;
  term: string;
  adContent: string;
  platform: string;
  adGroup: string;
  weight: number;
}

const none = "(not set)";

// source, medium, channel, campaign, campaign id, term, ad content, platform, ad group, weight
const rows: [string, string, string, string, string, string, string, string, string, number][] = [
  ["google", "organic", "Organic Search", "(organic)", none, none, none, none, none, 300],
  ["(direct)", "(none)", "Direct", "(direct)", none, none, none, none, none, 210],
  ["bing", "organic", "Organic Search", "(organic)", none, none, none, none, none, 34],
  ["duckduckgo", "organic", "Organic Search", "(organic)", none, none, none, none, none, 12],
  ["google", "cpc", "Paid Search", "brand_search", "210001", "field bag", none, "Google Ads", "brand", 74],
  ["google", "cpc", "Paid Search", "summer_sale", "210002", "canvas bag sale", none, "Google Ads", "sale", 46],
  ["google", "cpc", "Cross-network", "shopping_all", "210003", none, none, "Google Ads", "all products", 40],
  ["google", "display", "Display", "retargeting", "210004", none, "banner_b", "Google Ads", "visitors", 18],
  ["newsletter", "email", "Email", "weekly_news", "310001", none, "header_link", "Manual", none, 52],
  ["newsletter", "email", "Email", "welcome", "310002", none, "button", "Manual", none, 16],
  ["instagram.com", "social", "Organic Social", "(referral)", none, none, none, none, none, 48],
  ["facebook.com", "referral", "Organic Social", "(referral)", none, none, none, none, none, 30],
  ["instagram", "paid_social", "Paid Social", "reels_autumn", "410001", none, "video_a", "Manual", none, 36],
  ["blog.outdoors.example", "referral", "Referral", "(referral)", none, none, none, none, none, 30],
  ["partner.example", "referral", "Referral", "(referral)", none, none, none, none, none, 22],
  [none, none, "Unassigned", none, none, none, none, none, none, 10],
];

export const traffic: Traffic[] = rows.map(
  ([source, medium, channel, campaign, campaignId, term, adContent, platform, adGroup, weight]) => ({
    source,
    medium,
    channel,
    campaign,
    campaignId,
    term,
    adContent,
    platform,
    adGroup,
    weight,
  }),
);
