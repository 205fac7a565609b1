/**
 * Names of metrics, to decide which filter of a report a field belongs to if the report does not request it. The system
 * decides whether a property has a field: an unknown name counts as a dimension.
 */
const metricNames = new Set(
  `activeUsers totalUsers newUsers scrolledUsers active1DayUsers active7DayUsers active28DayUsers dauPerMau dauPerWau wauPerMau
  userEngagementDuration userKeyEventRate userConversionRate sessions engagedSessions engagementRate bounceRate averageSessionDuration
  sessionsPerUser sessionKeyEventRate sessionConversionRate screenPageViews screenPageViewsPerSession screenPageViewsPerUser
  eventCount eventCountPerUser eventsPerSession keyEvents conversions eventValue
  totalRevenue purchaseRevenue grossPurchaseRevenue refundAmount totalAdRevenue shippingAmount taxAmount averagePurchaseRevenue
  averagePurchaseRevenuePerUser averagePurchaseRevenuePerPayingUser averageRevenuePerUser
  transactions ecommercePurchases addToCarts checkouts totalPurchasers firstTimePurchasers purchaserRate firstTimePurchaserRate
  purchaserConversionRate firstTimePurchaserConversionRate firstTimePurchasersPerNewUser transactionsPerPurchaser cartToViewRate purchaseToViewRate
  itemRevenue grossItemRevenue itemRefundAmount itemDiscountAmount itemsViewed itemsAddedToCart itemsCheckedOut itemsPurchased
  itemsViewedInList itemsClickedInList itemsViewedInPromotion itemsClickedInPromotion itemViewEvents itemListViewEvents itemListClickEvents
  promotionViews promotionClicks itemListClickThroughRate itemPromotionClickThroughRate
  advertiserAdClicks advertiserAdImpressions advertiserAdCost advertiserAdCostPerClick advertiserAdCostPerKeyEvent
  advertiserAdCostPerConversion returnOnAdSpend organicGoogleSearchClicks organicGoogleSearchImpressions
  organicGoogleSearchClickThroughRate organicGoogleSearchAveragePosition publisherAdClicks publisherAdImpressions adUnitExposure
  crashAffectedUsers crashFreeUsersRate cohortActiveUsers cohortTotalUsers`.split(/\s+/),
);

// Metrics of one key event, custom metrics and calculated ones. `customEvent:x` can be either, and is mostly a
// dimension.
const metricPrefixes =
  /^(?:averageCustomEvent|countCustomEvent|calcMetric|keyEvents|conversions|\w+KeyEventRate|\w+ConversionRate):/;

export const isMetricName = (name: string): boolean => metricNames.has(name) || metricPrefixes.test(name);

/** All dimensions of realtime reports. The system's list of fields covers only the other reports. */
export const realtimeDimensions =
  "appVersion audienceId audienceName audienceResourceName city cityId country countryId deviceCategory eventName minutesAgo platform streamId streamName unifiedScreenName".split(
    " ",
  );
export const realtimeMetrics = ["activeUsers", "eventCount", "keyEvents", "screenPageViews"];
