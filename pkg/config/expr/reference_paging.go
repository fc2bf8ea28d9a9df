package expr

// Paging refers to the values that select a page: {"paging": "offset"}.
const Paging Context = "paging"

func pagingReferences() []Reference {
	return []Reference{
		{Key: Paging, Argument: "NAME", Examples: []Example{{`{"paging": "offset"}`, `200`}, {`{"paging": "cursor"}`, `null`}}, Where: []Site{InJobs, InScrollBody}, Optional: true, KnownOnly: true,
			Doc: "The value with which pagination requests the page: `offset` and `limit` of the method `offset`, `page` and `limit` of `pagenum`, `cursor` of `cursor`, `next` of `response.param`. Null if the request has none: the first request has no `cursor` and no `next`. Pagination then does not send it as a parameter of its own. In a job whose method has no such value the object is plain data."},
	}
}
