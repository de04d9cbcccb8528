package studio_test

import (
	"fmt"
	"testing"
)

// acceptance is the list of what version 2 of the listings promises, in the
// order of the decisions D1 to D6 of ADR-0135, each with its test of the real
// route.
var acceptance = []struct {
	n    int
	name string
	test func(*testing.T)
}{
	{1, "without a selector version 1 answers as recorded", v1WithoutSelector},
	{2, "listing_version=1 changes nothing", v1WithSelector},
	{3, "version 1 refuses the controls of version 2", v1RefusesReservedControls},
	{4, "version 1 treats unknown parameters as before", v1UnknownParameters},
	{5, "version 1 keeps deep offsets and exact totals", v1DeepOffsets},
	{6, "other versions are refused", otherVersionsRefused},
	{7, "request errors have the structured form", requestErrorsAreStructured},
	{8, "unknown parameters are refused on both endpoints", unknownParametersRefused},
	{9, "a scalar given twice is refused", repeatedScalarsRefused},
	{10, "repeated filters are sets", repeatedFiltersAccepted},
	{11, "an empty cursor is no first page", emptyCursorRefused},
	{12, "a cursor excludes offset and page", cursorExcludesOffset},
	{13, "offsets above 10,000 need a cursor", offsetCap},
	{14, "a filtered listing starts at the beginning", filteredOffsetRefused},
	{15, "row limits have their defaults and bounds", rowLimits},
	{16, "rows are those of version 1", rowsEqualV1},
	{17, "each version has its own schemas", documentsAreSeparate},
	{18, "boundary before cursor", boundaryBeforeCursor},

	{19, "recent is total: ties by id, NULL last, zero is a time", recentIsTotal},
	{20, "cost is total: zero, negative, then unknown", costIsTotal},
	{21, "stored values order, not shown ones", storedValuesOrder},
	{22, "recent continues at every boundary", recentBoundaries},
	{23, "cost continues at every boundary", costBoundaries},
	{24, "a deleted frontier is no obstacle", deletedFrontier},
	{25, "branches share one allowance", branchesShareAllowance},
	{26, "inserts before the frontier duplicate nothing", insertsBefore},
	{27, "inserts after the frontier appear", insertsAfter},
	{28, "moved rows may be left out or repeated", movedRows},
	{29, "a new chain shows newer rows", refreshShowsNewer},
	{30, "cursors keep numbers exactly", exactNumbers},
	{31, "cursors have the stated form and size", cursorForm},
	{32, "every byte of a cursor is signed", everyByteSigned},
	{33, "every malformed cursor is invalid", malformedCursors},
	{34, "every cursor from elsewhere restarts", foreignCursors},
	{35, "an unknown key leaves the payload unread", unknownKeyUnread},
	{36, "signed payloads out of schema are invalid", signedOutOfSchema},
	{37, "errors and logs repeat no cursor and no id", nothingReflected},
	{38, "a chain ends when its first cursor does", chainExpiry},
	{39, "cursors outlive a restart", cursorsSurviveRestart},
	{40, "rotation keeps verifying", rotationKeepsVerifying},
	{41, "removing a key ends its cursors", removedKey},
	{42, "signing keys and bearer tokens are strangers", keysAreNotBearers},
	{43, "without keyring or identity version 2 is refused", missingCapabilities},
	{44, "row limit and total may change in a chain", limitMayChange},
	{45, "equivalent filters continue each other", equivalentFilters},
	{46, "different filters do not", differentFilters},
	{47, "foreign contexts look alike", foreignContextsLookAlike},
	{48, "another life of the store ends chains", incarnationRotation},
	{49, "the identity stays over writes and restarts", identityIsStable},
	{50, "a cursor grants nothing", cursorGrantsNothing},

	{51, "the bound comes before the match", boundBeforeMatch},
	{52, "candidates are all sessions whatever the filter", candidateBasis},
	{53, "mirrors cost budget and are never returned", mirrorsConsumeBudget},
	{54, "one key is looked ahead at and not matched", lookaheadIsOneKey},
	{55, "an empty window advances", emptyWindowAdvances},
	{56, "the row limit skips nothing", rowLimitSkipsNothing},
	{57, "a source that ends at a limit is exhausted", exactEnds},
	{58, "a cursor names the last examined candidate", lastExaminedNotLastMatch},
	{59, "contains folds ASCII and escapes", containsSemantics},
	{60, "search_mode says whether a text was looked for", searchMode},
	{61, "tags are looked up by point", tagPointProbes},
	{62, "only returned rows are looked into", hydrationOfReturnedRows},
	{63, "counts keep repeated and missing members", countsKeepMembers},
	{64, "messages are never read", messagesNeverRead},

	{65, "envelopes have exactly their members", envelopeShape},
	{66, "returned and examined count what they say", envelopeCounts},
	{67, "more candidates exactly with a cursor", moreIffCursor},
	{68, "stop reasons have their precedence", stopReasons},
	{69, "the offset basis is constant", offsetBasis},
	{70, "the mismatch count is the answer's own", mismatchCount},
	{71, "no total unless asked for", totalUnknown},
	{72, "an exact total counts the whole store", totalExact},
	{73, "a failed count fails the answer", failedCount},
	{74, "zero and unknown are different", zeroAndUnknown},
	{75, "page, tags and count are of one moment", oneSnapshot},
	{76, "the transaction ends before the answer is sent", transactionEndsBeforeDelivery},
	{77, "a client that leaves stops the count", cancellation},
	{78, "liveness is looked up outside the transaction", livenessOutside},
	{79, "listing changes nothing on disk", nothingWritten},
	{80, "a missing table of tags reads as empty", missingTags},

	{81, "pages of runs skip candidates", pageSkipsCandidates},
	{82, "an offset is applied once", offsetOnce},
	{83, "offset and candidates have budgets of their own", separateBudgets},
	{84, "every branch reads its index", everyBranchReadsItsIndex},
	{85, "each order needs its indexes", indexesNeeded},
	{86, "hydration needs its access paths", hydrationPathsNeeded},
	{87, "readiness is constant work", readinessIsConstant},
	{88, "fresh, upgraded and reopened stores are alike", migrationParity},
	{89, "a listing never migrates", neverMigrates},
	{90, "stored keys without a place are an error where reached", unsupportedKeys},
	{91, "an absent store is an exhausted listing", absentStore},
	{92, "a cursor for an absent store restarts", absentStoreWithCursor},
	{93, "a server's store is 501", serverStore},
	{94, "what has to be mended invites no retry", noRetryInvited},
	{95, "the order of the answer is stated", orderIsStated},

	{96, "pages cost the same first and deep, small and large", pagesCostTheSame},
	{97, "empty windows cost the same", emptyWindowsCostTheSame},
	{98, "counters cover the whole request", countersCoverEverything},
	{99, "count, fanout and indexes are counted apart", dimensionsApart},
	{100, "timings are recorded with their circumstances", timingsRecorded},
}

func TestListingV2(t *testing.T) {
	for i, a := range acceptance {
		if a.n != i+1 {
			t.Fatalf("entry %d is number %d", i+1, a.n)
		}
		t.Run(fmt.Sprintf("%03d_%s", a.n, a.name), a.test)
	}
	if len(acceptance) != 100 {
		t.Errorf("%d of 100", len(acceptance))
	}
}
