package infer

import "testing"

func TestLooksRandom(t *testing.T) {
	for _, text := range []string{
		"9f8a7b6c5d4e3f2a", "0123456789abcdef0123456789abcdef", "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "AKIAIOSFODNN7EXAMPLE1a2B3c",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo", "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11",
		"BS3OQ1yfTZ2kQmNvXw", "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
	} {
		if !looksRandom(text) {
			t.Errorf("%s is random", text)
		}
	}
	for _, text := range []string{
		"", "x", "2024-01-01", "20240101123045999", "acme-production-eu-west-1", "getAllOrdersByCustomerId", "XMLHttpRequest", "application/vnd.api+json;version=2",
		"ThisIsAVeryLongCamelCaseNameOfSomething", "customers_and_orders_of_2024", "1.2.3-beta.4", "https://api.example.com/v1/orders", "en-US,en;q=0.9",
		"monthly report 9f8a7b6c5d4e3f2a", "MyCompany2024Production", "extractor/1.10.2", "abcdefghijklmnop", "ORDERS_2024_Q1",
	} {
		if looksRandom(text) {
			t.Errorf("%s is not random", text)
		}
	}
}
