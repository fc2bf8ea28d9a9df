// Package php is what PHP means by some of its functions. The original extractor
// was written in PHP, and what its users wrote depends on them: dates in
// expressions, formats, ids of rows and jobs.
//
//	Date        gmdate
//	StrToTime   strtotime, in UTC
//	Sprintf     sprintf
//	Double      (string) and var_export of a float
//	Append…     serialize
//	URL…        urlencode, rawurlencode, urldecode
//	IsIndex     how keys of an array become integers
//
// All are as in PHP 7.4, which the original ran on, where PHP 8 differs too: only
// Date knows "p" as PHP 8 does. What PHP means by a value (empty, is_numeric and the
// casts) are methods of value.Value, see pkg/value/php.go.
package php
